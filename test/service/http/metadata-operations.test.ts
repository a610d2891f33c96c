import { action, ConfigurationError, edm, entitySet, entityType, fn, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { faultsOfSchema, readCsdl } from "../../payload/csdl/validate-csdl.ts";

const Task = entityType("Task", { id: edm.int32().key() });
const total = fn({ bound: "collection", returns: edm.int32(), handler: () => 1 });

function tasks(name: string) {
  return entitySet(Task, {
    name,
    functions: { total },
    actions: { close: action({ bound: "entity", handler: (_key) => undefined }) },
  });
}

async function metadataOf(service: ReturnType<typeof odataService>): Promise<string> {
  const response = await service.fetch(new Request("http://service.example/$metadata"));
  return response.text();
}

test("two sets of one type that declare the same operation yield one overload in $metadata", async () => {
  const xml = await metadataOf(odataService({ entitySets: [tasks("Open"), tasks("Closed")] }));
  expect(xml.match(/<Function /g)).toHaveLength(1);
  expect(xml.match(/<Action /g)).toHaveLength(1);
  expect(await faultsOfSchema(xml)).toEqual([]);
  expect(readCsdl(xml)).toMatchObject({ Default: { total: [{ $Kind: "Function" }], close: [{ $Kind: "Action" }] } });
});

describe("names are unique within a schema", () => {
  const Note = entityType("Note", { id: edm.int32().key() });

  function faultsOf(declare: () => unknown): readonly string[] {
    try {
      declare();
    } catch (error) {
      if (error instanceof ConfigurationError) return error.faults.map(({ message }) => message);
      throw error;
    }
    return [];
  }

  test("a type and an operation", () => {
    const functions = { Task: fn({ returns: edm.int32(), handler: () => 1 }) };
    expect(faultsOf(() => odataService({ entitySets: [tasks("Tasks")], functions }))).toEqual([
      'The entity type Task and the unbound function `Task` have the name "Task".',
    ]);
  });

  test("renames the container if an operation has its name", async () => {
    const functions = { Container: fn({ returns: edm.int32(), handler: () => 1 }) };
    const service = odataService({ entitySets: [tasks("Tasks")], functions });
    expect(readCsdl(await metadataOf(service))).toMatchObject({ $EntityContainer: "Default.DefaultContainer" });
  });

  test("a function of one type and an action of another are overloads", async () => {
    const notes = entitySet(Note, { actions: { total: action({ bound: "collection", handler: () => undefined }) } });
    const service = odataService({ entitySets: [tasks("Tasks"), notes] });
    expect(readCsdl(await metadataOf(service))).toMatchObject({ Default: { total: [{}, {}] } });
  });

  test("operations of one kind that are bound to different types are overloads", async () => {
    const service = odataService({ entitySets: [tasks("Tasks"), entitySet(Note, { functions: { total } })] });
    expect(readCsdl(await metadataOf(service))).toMatchObject({ Default: { total: [{}, {}] } });
  });

  test("a bound and an unbound function are overloads", async () => {
    const functions = { total: fn({ returns: edm.int32(), handler: () => 1 }) };
    const service = odataService({ entitySets: [tasks("Tasks")], functions });
    expect(readCsdl(await metadataOf(service))).toMatchObject({ Default: { total: [{}, {}] } });
  });
});

test("contains the binding, parameters and results of operations as declared", async () => {
  const note = edm.string({ maxLength: 20 }).nullable();
  const entitySets = [
    entitySet(Task, {
      functions: {
        next: fn({ bound: "collection", params: { days: edm.int32().default(7) }, returns: Task, handler: () => null }),
        all: fn({ bound: "collection", returns: edm.collection(Task), composable: true, handler: () => [] }),
        name: fn({ bound: "entity", returns: edm.string(), handler: (_key) => "x" }),
        due: fn({ bound: "entity", returns: edm.date().nullable(), handler: (_key) => null }),
      },
      actions: {
        tag: action({
          bound: "entity",
          params: { tags: edm.collection(edm.string()), note: note.default("none") },
          returns: edm.collection(edm.string().nullable()),
          handler: (_key, { tags }) => tags,
        }),
      },
    }),
  ];
  const actions = { reset: action({ params: { hard: edm.boolean().default(false) }, handler: () => {} }) };
  const xml = await metadataOf(odataService({ entitySets, actions }));
  expect(await faultsOfSchema(xml)).toEqual([]);
  const ofOne = '<Parameter Name="bindingParameter" Type="Default.Task" Nullable="false"/>';
  const ofAll = '<Parameter Name="bindingParameter" Type="Collection(Default.Task)"/>';
  const byDefault = (value: string) =>
    '<Annotation Term="Org.OData.Core.V1.OptionalParameter"><Record>' +
    `<PropertyValue Property="DefaultValue" String="${value}"/></Record></Annotation>`;
  for (const element of [
    `<Function Name="next" IsBound="true" EntitySetPath="bindingParameter">${ofAll}` +
      `<Parameter Name="days" Type="Edm.Int32" Nullable="false">${byDefault("7")}</Parameter>` +
      '<ReturnType Type="Default.Task"/></Function>',
    `<Function Name="all" IsBound="true" EntitySetPath="bindingParameter" IsComposable="true">${ofAll}` +
      '<ReturnType Type="Collection(Default.Task)"/></Function>',
    `<Function Name="name" IsBound="true">${ofOne}<ReturnType Type="Edm.String" Nullable="false"/></Function>`,
    `<Function Name="due" IsBound="true">${ofOne}<ReturnType Type="Edm.Date"/></Function>`,
    `<Action Name="tag" IsBound="true">${ofOne}` +
      '<Parameter Name="tags" Type="Collection(Edm.String)" Nullable="false"/>' +
      `<Parameter Name="note" Type="Edm.String" MaxLength="20">${byDefault("none")}</Parameter>` +
      '<ReturnType Type="Collection(Edm.String)" Nullable="true"/></Action>',
    `<Action Name="reset"><Parameter Name="hard" Type="Edm.Boolean" Nullable="false">${byDefault("false")}</Parameter></Action>`,
    '<ActionImport Name="reset" Action="Default.reset"/>',
  ]) {
    expect(withoutLayout(xml)).toContain(element);
  }
});

/** A document without the blanks between its elements. */
function withoutLayout(xml: string): string {
  return xml.replaceAll(/>\s+</gu, "><");
}
