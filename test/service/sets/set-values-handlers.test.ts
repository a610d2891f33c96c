import { edm, entitySet, entityType, odataError, odataService } from "odatakit";
import { openApiRoute } from "odatakit/openapi";
import { describe, expect, test } from "vitest";

const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string(),
  author: edm.string(),
  editor: edm.string().nullable(),
});

interface StoredNote {
  readonly id: number;
  readonly text: string;
  readonly author: string;
  readonly editor: string | null;
}

/** Notes whose own `replace` also creates them. */
function noteService(makeAuthor: () => string = () => "made") {
  const rows = new Map<number, StoredNote>();
  const notes = entitySet(Note, {
    getByKey: (key) => rows.get(key) ?? null,
    replace: (key, note) => {
      rows.set(key, { ...note, id: key });
      return rows.get(key) ?? null;
    },
    allowUpsert: true,
    set: { author: { create: makeAuthor }, editor: { update: () => "changed" } },
  });
  const service = odataService({ entitySets: [notes], routes: [openApiRoute({ title: "Notes", version: "1" })] });
  const put = async (body: object): Promise<readonly [number, unknown]> => {
    const headers = { "Content-Type": "application/json" };
    const request = { method: "PUT", headers, body: JSON.stringify(body) };
    const response = await service.fetch(new Request("http://pad.example/Notes(1)", request));
    return [response.status, await response.json()];
  };
  return { rows, put, service };
}

describe("values that the server sets, for a replace handler that creates", () => {
  test("are those of a new entity, then those of a change with the stored others", async () => {
    const { put, rows } = noteService();
    const context = {
      "@odata.context": "http://pad.example/$metadata#Notes/$entity",
      "@odata.id": "http://pad.example/Notes(1)",
    };
    expect(await put({ Text: "a", Author: "eve" })).toEqual([
      201,
      { ...context, Id: 1, Text: "a", Author: "made", Editor: null },
    ]);
    rows.set(1, { id: 1, text: "a", author: "ann", editor: null });
    expect(await put({ Text: "b", Author: "eve" })).toEqual([
      200,
      { ...context, Id: 1, Text: "b", Author: "ann", Editor: "changed" },
    ]);
    expect(rows.get(1)).toEqual({ id: 1, text: "b", author: "ann", editor: "changed" });
  });

  test("may end in an error that a function throws", async () => {
    const { put, rows } = noteService(() => {
      throw odataError(403, "NoAuthor", "Only authors write notes.");
    });
    expect(await put({ Text: "a" })).toEqual([
      403,
      { error: { code: "NoAuthor", message: "Only authors write notes." } },
    ]);
    expect(rows.size).toBe(0);
  });

  test("are read-only in API descriptions", async () => {
    const { service } = noteService();
    const response = await service.fetch(new Request("http://pad.example/openapi.json"));
    const { components } = (await response.json()) as {
      readonly components: {
        readonly schemas: Record<string, { readonly properties: object; readonly required?: string[] }>;
      };
    };
    const { schemas } = components;
    const replacement = Object.entries(schemas).find(([name]) => name.endsWith("Note.replace"))?.[1];
    const entity = Object.entries(schemas).find(([name]) => name.endsWith("Note"))?.[1];
    expect(Object.keys(replacement?.properties ?? {})).toEqual(["Id", "Text"]);
    expect(entity?.properties).toMatchObject({ Author: { readOnly: true }, Editor: { readOnly: true } });
  });
});
