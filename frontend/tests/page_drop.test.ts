// Files and folders dropped on the import page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { collectFiles, type FoundFile, isReadable, MAX_FILES, withoutCommonFolder } from "../src/app/page_drop.ts";

const fileEntry = (name: string): FileSystemEntry =>
  ({
    name,
    isFile: true,
    file: (take: (file: File) => void) => take(new File([""], name)),
  }) as unknown as FileSystemEntry;

/** A folder whose entries are read a hundred at a time, as Chromium does. */
const folderEntry = (name: string, children: FileSystemEntry[]): FileSystemEntry =>
  ({
    name,
    isFile: false,
    createReader: () => {
      const left = [...children];
      return { readEntries: (take: (some: FileSystemEntry[]) => void) => take(left.splice(0, 100)) };
    },
  }) as unknown as FileSystemEntry;

const files = (count: number): FileSystemEntry[] => Array.from({ length: count }, (_, n) => fileEntry(`${n}.txt`));

test("all files of nested folders are taken, hidden ones are not", async () => {
  const found: FoundFile[] = [];
  const folder = folderEntry("a", [fileEntry("1.txt"), fileEntry(".git"), folderEntry("b", files(150))]);
  assert.equal(await collectFiles(folder, found), true);
  assert.equal(found.length, 151);
  assert.deepEqual(
    found.slice(0, 2).map(({ path }) => path),
    ["a/1.txt", "a/b/0.txt"],
  );
});

test("as many files are taken as are allowed in all, not in each folder", async () => {
  const found: FoundFile[] = [];
  const folder = folderEntry("a", [folderEntry("b", files(MAX_FILES - 1)), folderEntry("c", files(2))]);
  assert.equal(await collectFiles(folder, found), false);
  assert.equal(found.length, MAX_FILES);
});

test("nothing is left out where the folders hold just as many as are allowed", async () => {
  const found: FoundFile[] = [];
  const folder = folderEntry("a", [folderEntry("b", files(MAX_FILES)), folderEntry("empty", [])]);
  assert.equal(await collectFiles(folder, found), true);
  assert.equal(await collectFiles(fileEntry("one more.txt"), found), false);
  assert.equal(found.length, MAX_FILES);
});

test("paths lose the folder that all of them share, and no other", () => {
  assert.deepEqual(withoutCommonFolder(["a/b/1.txt", "a/2.txt"]), ["b/1.txt", "2.txt"]);
  assert.deepEqual(withoutCommonFolder(["a/1.txt", "b/1.txt"]), ["a/1.txt", "b/1.txt"]);
  assert.deepEqual(withoutCommonFolder(["1.txt", "a/1.txt"]), ["1.txt", "a/1.txt"]);
  assert.deepEqual(withoutCommonFolder([]), []);
});

test("of a folder the files are read whose names end like a prompt's", () => {
  const endings = [".txt", ".prompty"];
  const paths = ["a/1.TXT", "a/logo.png", "a/Modelfile", "a/x.prompty", "txt"];
  assert.deepEqual(
    paths.filter((path) => isReadable(path, endings)),
    ["a/1.TXT", "a/Modelfile", "a/x.prompty"],
  );
});
