import { edm, entitySet, entityType, type FieldsFirstLogger, fromPino, type Logger, odataService } from "odatakit";
import { expect, test } from "vitest";

const Note = entityType("Note", { id: edm.int32().key() });

/** What a driver throws, behind an error of the application. */
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
