import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** Words of one mechanism, the folder that holds it, and how many files elsewhere may name it: its option, and what declares it. */
const SEAMS = [
  { word: /distribut/iu, folder: "src/databases/placement/", most: 12 },
  { word: /replica/iu, folder: "src/databases/replicas/", most: 12 },
] as const;

test.each(SEAMS)("at most $most files outside of $folder name $word", ({ word, folder, most }) => {
  const naming = filesBelow("src", ".ts")
    .filter(({ path, text }) => !path.startsWith(folder) && (word.test(path) || word.test(text)))
    .map(({ path }) => path);
  // The list is shown if it is too long.
  expect(naming.length > most ? naming : []).toEqual([]);
});
