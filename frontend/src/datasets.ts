// The script of the page that makes a version of a dataset: a grid in place of the rows as text.
import { installDatasetForm } from "./datasets/form.ts";

installDatasetForm();
