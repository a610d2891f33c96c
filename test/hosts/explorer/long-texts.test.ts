import { expect, test } from "vitest";
import { showValue } from "../../../explorer/src/format/show-value.ts";
import { complete } from "../../../explorer/src/query/completion.ts";
import { readExpand } from "../../../explorer/src/query/expand-tree.ts";
import { readTyped } from "../../../explorer/src/query/literals.ts";
import { writeQueryText } from "../../../explorer/src/query/option-text.ts";
import { memberAt, resolvePath } from "../../../explorer/src/query/resolve-type.ts";
import { processorTime } from "../../processor-time.ts";
import { MODEL, primitive, setNamed } from "./sample-model.ts";

const LENGTH = 100_000;
/** Texts of signs after which readers look for others, with ends that disappoint them. */
const TEXTS = ["a", " ", "t", "=", "(", "a(", "('", `\\"`, "a/", "a.", "a($expand=", "'"].flatMap((unit) => {
  const many = unit.repeat(LENGTH / unit.length);
  return [many, `${many} x`, `x ${many}'`, many.slice(LENGTH / 2) + ")".repeat(LENGTH / 2)];
});

/** Functions that read the text of a link or of a person. Add a row for each new function. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  complete: (text) => complete(text, text.length, MODEL),
  "complete $filter": (text) => complete(`Orders?$filter=${text}`, LENGTH * 2, MODEL),
  "complete $expand": (text) => complete(`Orders?$expand=${text}`, LENGTH * 2, MODEL),
  readExpand,
  "readTyped DateTimeOffset": (text) => readTyped(text, primitive("DateTimeOffset")),
  writeQueryText: (text) => writeQueryText({ path: "Orders", options: new Map([["$filter", text]]) }),
  resolvePath: (text) => resolvePath(MODEL, text),
  memberAt: () => memberAt(setNamed("Orders").type, "Customer/Orders/".repeat(LENGTH / 16)),
  "showValue Binary": (text) => showValue(text, primitive("Binary")),
};

test.for(Object.entries(READERS))("%s reads long texts in time that grows with their length", ([, read]) => {
  const begun = processorTime();
  for (const text of TEXTS) read(text);
  // A quadratic one takes half a minute.
  expect(processorTime() - begun).toBeLessThan(4000);
});
