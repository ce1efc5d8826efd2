// Entry script of the dataset form: shows the rows in a grid instead of as text.
import { installDatasetForm } from "./datasets/form.ts";

installDatasetForm();
