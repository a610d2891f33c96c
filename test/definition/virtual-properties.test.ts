import { Kysely } from "kysely";
import {
  ConfigurationError,
  type ConfigurationFault,
  edm,
  entitySet,
  entityType,
  hasMany,
  odataService,
  role,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";

const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  hidden: edm.string().ignored(),
  version: edm.int32().computed(),
});

/** JavaScript callers can pass any value. */
const notes = (options: object) => entitySet(Note, { getAll: () => [], getByKey: () => null, ...options });
const values = { type: edm.int32(), needs: ["text"], read: (rows: readonly unknown[]) => rows.map(() => 1) };
const mask = { needs: ["text"], read: (rows: readonly unknown[]) => rows.map(() => "x") } as const;

function faultsOf(...entitySets: readonly unknown[]): readonly ConfigurationFault[] {
  try {
    odataService({ entitySets: entitySets as never });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

describe("virtual is refused at startup", () => {
  test.each<readonly [string, object, string]>([
    ["without a property", { virtual: {} }, "`virtual` names no property."],
    ["that is no object", { virtual: { size: 5 } }, "`virtual.size` is 5."],
    ["without read", { virtual: { size: { ...values, read: 1 } } }, "`virtual.size` has no `read`: it is 1."],
    [
      "without needs",
      { virtual: { size: { ...values, needs: undefined } } },
      "`needs` of `virtual.size` is undefined.",
    ],
    [
      "with an unknown need",
      { virtual: { size: { ...values, needs: ["texts"] } } },
      '`needs` of `virtual.size` contains "texts", which is no property of Note.',
    ],
    [
      "with an unknown part",
      { virtual: { size: { ...values, write: () => 1 } } },
      "`virtual.size` has no option `write`.",
    ],
    [
      "without a type",
      { virtual: { size: { ...values, type: undefined } } },
      "`type` of `virtual.size` is undefined, and Note has no property `size`.",
    ],
    [
      "with a modifier for stored values",
      { virtual: { size: { ...values, type: edm.int32().default(1) } } },
      "`.default()` has no effect on the virtual property `size`.",
    ],
    [
      "with the type of a stored property",
      { virtual: { text: { ...mask, type: edm.string() } } },
      "`virtual.text` masks a property of Note, but its `type` is a builder.",
    ],
    ["of the key", { virtual: { id: mask } }, "`virtual.id` masks a property of the key: URLs and links contain it."],
    [
      "of an ignored property",
      { virtual: { hidden: mask } },
      "`virtual.hidden` masks a property that is ignored: no client sees it.",
    ],
    [
      "with the name of a navigation",
      {
        virtual: { notes: values },
        navigation: { notes: hasMany(Note, { on: { id: "version" }, target: "Notes" }) },
      },
      "The virtual property `notes` of Notes and the navigation `notes` of Notes",
    ],
    [
      "in filterProperties",
      { virtual: { size: values }, filterProperties: ["size"] },
      "`filterProperties` names `size`, which Note does not have.",
    ],
    [
      "of a property in orderByProperties",
      { virtual: { text: mask }, orderByProperties: ["text"] },
      "`orderByProperties` names `text`, which `virtual` masks: clients could find the stored value.",
    ],
    [
      "of a property in etag",
      { virtual: { text: mask }, etag: ["text"] },
      "`etag` names `text`, which `virtual` masks: clients could find the stored value.",
    ],
    ["in etag", { virtual: { size: values }, etag: ["size"] }, "`etag` names `size`, which Note does not have."],
    [
      "with rules to write it",
      { virtual: { size: values }, authorization: { properties: { size: { update: role("a") } } } },
      "`authorization.properties` has rules for `size` to write it, but it is computed: values of clients are ignored.",
    ],
  ])("%s", (_title, options, message) => {
    expect(faultsOf(notes(options)).map((fault) => fault.message)).toEqual([expect.stringContaining(message)]);
  });

  test("in a search over columns", () => {
    const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
    const table = { db, table: "notes", operations: ["read"], search: ["text"] } as const;
    const set = sqlEntitySet(Note, { ...table, virtual: { text: mask } });
    expect(faultsOf(set).map(({ message }) => message)).toEqual([
      "`search` names `text`, which `virtual` masks: clients could find the stored value.",
    ]);
  });

  test("if sets of one type differ", () => {
    const virtual = { size: values };
    const message =
      "`virtual.size` differs from that of Notes. Both sets contain Note, and clients read the property of the type.";
    const others = [{}, { virtual: { size: { ...values, read: () => [] } } }];
    for (const other of others) {
      expect(faultsOf(notes({ virtual }), notes({ name: "Others", ...other }))).toEqual([
        {
          set: "Others",
          message,
          fix: "Give both the same object as `virtual`, or declare a type for each set.",
        },
      ]);
    }
    expect(faultsOf(notes({ virtual }), notes({ name: "Others", virtual }))).toEqual([]);
  });
});

describe("virtual properties in descriptions", () => {
  const service = odataService({
    entitySets: [
      notes({
        virtual: { size: { ...values, type: edm.int32().describe("Its length.") }, text: mask },
        selectProperties: ["id", "size"],
        annotations: { "UI.LineItem": [{ $Type: "UI.DataField", Value: { $Path: "size" } }] },
      }),
    ],
  });

  test("$metadata states Core.Computed of those without a stored value, and that none can be filtered or sorted", async () => {
    const response = await service.fetch(new Request("http://x/$metadata"));
    const text = await response.text();
    expect(text).toContain(
      '<Property Name="Size" Type="Edm.Int32" Nullable="false"><Annotation Term="Org.OData.Core.V1.Computed" Bool="true"/><Annotation Term="Org.OData.Core.V1.Description" String="Its length."/></Property>',
    );
    expect(text).toContain('<Property Name="Text" Type="Edm.String"/>');
    for (const term of ["NonFilterableProperties", "NonSortableProperties"]) {
      expect(text).toContain(
        `<PropertyValue Property="${term}"><Collection><PropertyPath>Text</PropertyPath><PropertyPath>Size</PropertyPath></Collection></PropertyValue>`,
      );
    }
  });

  test("allowlists of $select may name them", async () => {
    const read = async (path: string): Promise<number> => (await service.fetch(new Request(`http://x/${path}`))).status;
    expect(await read("Notes?$select=Size")).toBe(200);
    expect(await read("Notes?$select=Text")).toBe(400);
  });
});
