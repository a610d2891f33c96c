import { complexType, edm, entitySet, entityType, odataService } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { eachDoor } from "./doors.ts";
import { noFailures } from "./model.ts";

/** `.databaseDefault()` of a set with handlers of the application: they get entities without the member. */

const Place = complexType("Place", { city: edm.string() });
const Note = entityType("Note", {
  id: edm.guid().key().databaseDefault(),
  text: edm.string(),
  at: edm.dateTimeOffset().databaseDefault(),
  tags: edm.collection(edm.string()).databaseDefault(),
  place: edm.complex(Place).nullable().databaseDefault(),
  code: edm.string().immutable().databaseDefault(),
  state: edm.string().default("new"),
});

const KEY = "01234567-89ab-4def-a123-456789abcdef";
const STORED = { id: KEY, at: "2026-01-01T00:00:00Z", tags: ["made"], place: { city: "Oslo" }, code: "c" };

function notes(got: unknown[]) {
  return odataService({
    prefix: "",
    logger: noFailures,
    entitySets: [
      entitySet(Note, {
        allowUpsert: true,
        getByKey: (id) => (id === KEY ? { ...STORED, text: "old", state: "old" } : null),
        create: (note) => {
          got.push(note);
          return { ...STORED, ...note };
        },
        replace: (id, note) => {
          got.push(note);
          return { ...STORED, ...note, id };
        },
      }),
    ],
  });
}

eachDoor((door) => {
  test.each<[method: string, path: string, body: object, status: number, got: object]>([
    ["POST", "/Notes", { Text: "a" }, 201, { text: "a", state: "new" }],
    [
      "POST",
      "/Notes",
      { Text: "a", Tags: [], Place: null, At: "2026-02-02T00:00:00Z" },
      201,
      { text: "a", tags: [], place: null, at: "2026-02-02T00:00:00Z", state: "new" },
    ],
    ["PUT", `/Notes(${KEY})`, { Text: "a" }, 200, { id: KEY, text: "a", code: "c", state: "new" }],
    [
      "PUT",
      "/Notes(11111111-89ab-4def-a123-456789abcdef)",
      { Text: "a" },
      201,
      { id: "11111111-89ab-4def-a123-456789abcdef", text: "a", state: "new" },
    ],
  ])("%s %s %j", async (method, path, body, status, got) => {
    const given: unknown[] = [];
    const send = door.to(notes(given));
    const answer = await send(path, { "content-type": "application/json" }, method, JSON.stringify(body));
    expect([answer.status, given]).toEqual([status, [got]]);
  });
});

describe("descriptions", () => {
  test("$metadata has the annotation, and no nullable property", async () => {
    const lines = await (await notes([]).fetch(new Request("http://notes.example/$metadata"))).text();
    const xml = lines.replaceAll(/\n\s*/g, "");
    expect(xml).toContain(
      '<Property Name="At" Type="Edm.DateTimeOffset" Nullable="false" Precision="12">' +
        '<Annotation Term="Org.OData.Core.V1.ComputedDefaultValue" Bool="true"/></Property>',
    );
    expect(xml.match(/ComputedDefaultValue/g)).toHaveLength(5);
    expect(xml).toContain('<Property Name="State" Type="Edm.String" Nullable="false" DefaultValue="new"/>');
  });

  test("OpenAPI requires only the other properties", () => {
    const { components } = openApiDocument(notes([])) as {
      readonly components: { readonly schemas: Readonly<Record<string, { readonly required?: readonly string[] }>> };
    };
    expect(components.schemas["Note.create"]?.required).toEqual(["Text"]);
    expect(components.schemas["Note.replace"]?.required).toEqual(["Text"]);
  });
});
