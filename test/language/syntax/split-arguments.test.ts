import { expect, test } from "vitest";
import { splitArguments } from "../../../src/language/syntax/split-arguments.ts";

test.each<[string, ReadonlyArray<readonly [string | null, string]>]>([
  ["", []],
  [" \t ", []],
  ["a=1", [["a", "1"]]],
  [
    " a = 1 , b = @p ",
    [
      ["a", "1"],
      ["b", "@p"],
    ],
  ],
  [
    "a='x,y=1',b='it''s, ok'",
    [
      ["a", "'x,y=1'"],
      ["b", "'it''s, ok'"],
    ],
  ],
  [
    'a=["x,\\"y",{"b":[1,2]}],c=(1,2)',
    [
      ["a", '["x,\\"y",{"b":[1,2]}]'],
      ["c", "(1,2)"],
    ],
  ],
  [
    "a=1,,",
    [
      ["a", "1"],
      [null, ""],
      [null, ""],
    ],
  ],
  ["5", [[null, "5"]]],
  ["'a=1'", [[null, "'a=1'"]]],
  ['{"a":"="}', [[null, '{"a":"="}']]],
  ["a='open,b=1", [["a", "'open,b=1"]]],
  ['a="open\\', [["a", '"open\\']]],
  [
    "a=),b=1",
    [
      ["a", ")"],
      ["b", "1"],
    ],
  ],
  ["=1", [["", "1"]]],
  ["a==1", [["a", "=1"]]],
])("(%s)", (text, parts) => {
  expect(splitArguments(text).map(({ name, text: value }) => [name, value])).toEqual(parts);
});
