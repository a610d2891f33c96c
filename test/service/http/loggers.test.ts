import {
  edm,
  entitySet,
  entityType,
  type FieldsFirstLogger,
  fromPino,
  hasMany,
  hasOptional,
  type Logger,
  odataService,
} from "odatakit";
import { expect, test } from "vitest";

const Note = entityType("Note", { id: edm.int32().key() });

/** An error of a driver, as the cause of an application's error. */
const driverError = Object.assign(new Error("duplicate"), { code: "23505", table: "notes", column: "id" });
const failure = new Error("The write failed.", { cause: driverError });

async function logged(logger: Logger): Promise<void> {
  const service = odataService({
    logger,
    entitySets: [
      entitySet(Note, {
        getAll: () => {
          throw failure;
        },
      }),
    ],
  });
  const headers = { "X-Request-Id": "r-1" };
  const response = await service.fetch(new Request("http://service.example/Notes?$top=1", { headers }));
  expect(response.status).toBe(500);
}

const RECORD = {
  requestId: "r-1",
  method: "GET",
  path: "/Notes",
  status: 500,
  set: "Notes",
  code: "23505",
  table: "notes",
  column: "id",
  err: failure,
};

/** A logger with the interface of pino, which drops fields that follow a message. */
function pinoLike() {
  const records: unknown[] = [];
  const write = (fields: unknown, message?: unknown): void => {
    records.push(typeof fields === "string" ? { message: fields } : { message, fields });
  };
  const pino = { error: write, warn: write, info: write, bindings: () => ({}), child: () => pino };
  return { pino: pino as FieldsFirstLogger & Logger, records };
}

test("a logger of pino gets all fields, adapted or as it is", async () => {
  for (const adapt of [fromPino, (logger: Logger) => logger]) {
    const { pino, records } = pinoLike();
    await logged(adapt(pino));
    expect(records).toEqual([{ message: "A request failed.", fields: RECORD }]);
  }
});

test("a logger that takes the message first is called as it is", async () => {
  const records: unknown[] = [];
  const write = (message: string, fields: object): void => void records.push({ message, fields });
  await logged({ error: write, warn: write, info: write });
  expect(records).toEqual([{ message: "A request failed.", fields: RECORD }]);
});

test.each([undefined, "https://api.example/public"])("warnings carry the request, also below %s", async (publicUrl) => {
  const Line = entityType("Line", { id: edm.int32().key() });
  const records: unknown[] = [];
  const service = odataService({
    publicUrl,
    prefix: "/v1",
    authenticate: () => ({ id: "ann" }),
    logger: { error() {}, warn: (message, fields) => void records.push({ message, fields }), info() {} },
    entitySets: [
      entitySet(Line, { getAll: () => [] }),
      entitySet(Note, {
        getAll: () => [{ id: 1, lines: Promise.resolve([]) } as { id: number }, { id: 2 }],
        getByKey: () => null,
        navigation: { lines: hasMany(Line, { target: "Lines" }) },
      }),
    ],
  });
  const headers = { "X-Request-Id": "r-1" };
  const response = await service.fetch(new Request("http://service.example/v1/N%6Ftes?$expand=Lines", { headers }));
  expect(response.status).toBe(200);
  expect(records).toEqual([
    {
      message: "The expansion 'Notes/Lines' is left out for some entities: it is a promise: await it.",
      fields: { requestId: "r-1", method: "GET", path: "/v1/N%6Ftes", set: "Notes", navigation: "Notes/Lines" },
    },
  ]);
});

test("the warning of a row rule that cannot be followed carries the request that met it first", async () => {
  const Person = entityType("Person", { id: edm.int32().key(), name: edm.string() });
  const records: unknown[] = [];
  const service = odataService({
    authenticate: () => ({ id: "ann" }),
    logger: { error() {}, warn: (message, fields) => void records.push({ message, fields }), info() {} },
    entitySets: [
      entitySet(Person, {
        name: "People",
        getAll: () => [{ id: 1, name: "Ann" }],
        navigation: { boss: hasOptional(Person, { target: "People" }) },
        authorization: { rows: (_user, row) => row.boss.name.eq("Bo") },
      }),
    ],
  });
  const headers = { "X-Request-Id": "r-2" };
  for (const target of ["People/$count", "People"]) {
    await service.fetch(new Request(`http://service.example/${target}`, { headers }));
  }
  expect(records).toEqual([
    {
      message: expect.stringContaining("follows 'People/Boss'") as string,
      fields: { requestId: "r-2", method: "GET", path: "/People/$count", set: "People", navigation: "People/Boss" },
    },
  ]);
});
