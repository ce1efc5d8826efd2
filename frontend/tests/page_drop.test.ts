import assert from "node:assert/strict";
import { test } from "node:test";
import { collectFiles, MOST_FILES } from "../src/app/page_drop.ts";

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
  const found: File[] = [];
  const folder = folderEntry("a", [fileEntry("1.txt"), fileEntry(".git"), folderEntry("b", files(150))]);
  assert.equal(await collectFiles(folder, found), true);
  assert.equal(found.length, 151);
});

test("as many files are taken as are allowed in all, not in each folder", async () => {
  const found: File[] = [];
  const folder = folderEntry("a", [folderEntry("b", files(MOST_FILES - 1)), folderEntry("c", files(2))]);
  assert.equal(await collectFiles(folder, found), false);
  assert.equal(found.length, MOST_FILES);
});

test("nothing is left out where the folders hold just as many as are allowed", async () => {
  const found: File[] = [];
  const folder = folderEntry("a", [folderEntry("b", files(MOST_FILES)), folderEntry("empty", [])]);
  assert.equal(await collectFiles(folder, found), true);
  assert.equal(await collectFiles(fileEntry("one more.txt"), found), false);
  assert.equal(found.length, MOST_FILES);
});
