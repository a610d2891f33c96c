import { describe, expect, test } from "vitest";
import { eachDoor } from "./doors.ts";
import { Notes, noteService } from "./write-model.ts";
import { bodyOf, expectationOf, groupsOf, headersOf, OTHER, rowsOf, STORED, WATCHED } from "./write-table.ts";

const GROUPS = (["POST", "PUT", "PATCH", "DELETE"] as const).flatMap(groupsOf);

test("the table has every combination", () => {
  const counts = Object.fromEntries(
    (["POST", "PUT", "PATCH", "DELETE"] as const).map((verb) => [verb, rowsOf(verb).length]),
  );
  expect(counts).toEqual({ POST: 1728, PUT: 3456, PATCH: 3456, DELETE: 1728 });
});

eachDoor((door) => {
  // The doors differ in how they carry a request: some rows of each set show that.
  const isChosen = (index: number): boolean => door.name === "web" || index % 11 === 0;

  describe("verb, Prefer, ETag, upsert, If-Match, If-None-Match, missing entity, key in the body, idempotent delete", () => {
    test.each(GROUPS)("%s", async (_, rows) => {
      const [first] = rows;
      const notes = new Notes([]);
      const send = door.to(noteService(notes, first!));
      for (const row of rows.filter((_row, index) => isChosen(index))) {
        notes.calls.length = 0;
        notes.rows.clear();
        for (const stored of row.missing ? [OTHER] : [STORED, OTHER]) notes.rows.set(stored.code, stored);
        const target = row.verb === "POST" ? "/s/Notes" : "/s/Notes(1.5)";
        const answer = await send(target, headersOf(row), row.verb, bodyOf(row));
        const expected = expectationOf(row);
        const watched = Object.entries(answer.headers).filter(([name]) => WATCHED.some((other) => other === name));
        const error = answer.status >= 400 ? answer.json.error : {};
        expect(
          {
            status: answer.status,
            code: error.code,
            target: error.target,
            headers: Object.fromEntries(watched),
            body: answer.status >= 400 ? undefined : (answer.json ?? answer.text),
            calls: notes.calls.map(({ handler, expected: values }) => ({ handler, expected: values })),
            rows: [...notes.rows.values()],
          },
          JSON.stringify(row),
        ).toEqual({ code: undefined, target: undefined, body: undefined, ...expected });
      }
    });
  });
});
