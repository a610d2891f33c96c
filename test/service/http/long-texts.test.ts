import { edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor } from "./doors.ts";
import { noFailures } from "./model.ts";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string(), short: edm.string({ maxLength: 3 }) });

const LONG = 1_100_000;
/** Pieces of texts end within pairs of surrogates, at escapes, and elsewhere. */
const TEXTS: Readonly<Record<string, string>> = {
  ASCII: "x".repeat(LONG),
  emoji: "😀".repeat(LONG / 2),
  "emoji at odd offsets": `x${"😀".repeat(LONG / 2)}`,
  escapes: '"\\\n\u0001'.repeat(LONG / 4),
  "few escapes": `${"x".repeat(100_000)}"\n`.repeat(11),
  "lone surrogates": `\ud83dx\ude00`.repeat(LONG / 3),
};

const service = odataService({
  name: "s",
  logger: noFailures,
  entitySets: [
    entitySet(Note, {
      getByKey: (id) => ({ id, text: Object.values(TEXTS)[id] ?? "", short: "a" }),
      create: (note) => note,
    }),
  ],
});

eachDoor((door) => {
  const send = door.to(service);

  describe("a long text", () => {
    test.each(Object.keys(TEXTS).map((name, id) => [name, id] as const))("of %s is read", async (name, id) => {
      const { status, json } = await send(`/s/Notes(${String(id)})`);
      expect([status, json.Text === TEXTS[name]]).toEqual([200, true]);
    });

    test.each(Object.entries(TEXTS))("of %s is created", async (_name, text) => {
      const body = JSON.stringify({ Id: 1, Text: text, Short: "a" });
      const { status, json } = await send("/s/Notes", { "Content-Type": "application/json" }, "POST", body);
      expect([status, json.Text === text]).toEqual([201, true]);
    });

    test("has no body for HEAD", async () => {
      const { status, text } = await send("/s/Notes(0)", {}, "HEAD");
      expect([status, text]).toEqual([200, ""]);
    });
  });

  test.each([
    ["😀😀😀", 201],
    ["😀😀😀😀", 400],
    ["😀😀x", 201],
    ["xxxx", 400],
    ["x".repeat(LONG), 400],
  ])("counts characters up to the maximum length: %#", async (short, expected) => {
    const body = JSON.stringify({ Id: 1, Text: "", Short: short });
    const { status, json } = await send("/s/Notes", { "Content-Type": "application/json" }, "POST", body);
    expect([status, json.error?.target]).toEqual([expected, expected === 400 ? "Short" : undefined]);
  });
});
