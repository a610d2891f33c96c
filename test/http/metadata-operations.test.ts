import { action, ConfigurationError, edm, entitySet, entityType, fn, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { faultsOfSchema, readCsdl } from "../csdl/validate-csdl.ts";

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

test("an operation that two sets of one type declare is one overload in $metadata", async () => {
  const xml = await metadataOf(odataService({ entitySets: [tasks("Open"), tasks("Closed")] }));
  expect(xml.match(/<Function /g)).toHaveLength(1);
  expect(xml.match(/<Action /g)).toHaveLength(1);
  expect(await faultsOfSchema(xml)).toEqual([]);
  expect(readCsdl(xml)).toMatchObject({ Default: { total: [{ $Kind: "Function" }], close: [{ $Kind: "Action" }] } });
});

describe("what shares a schema shares no name", () => {
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

  test("the container goes out of the way of an operation", async () => {
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
