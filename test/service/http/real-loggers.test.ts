import { Writable } from "node:stream";
import { inspect } from "node:util";
import { edm, entitySet, entityType, fromPino, type Logger, odataService } from "odatakit";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { createLogger, format, transports } from "winston";

/** The records of real loggers, read from the lines that they write. */

const Note = entityType("Note", { id: edm.int32().key() });

/** A stream that keeps the records which are written to it as lines of JSON. */
function linesOf() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(...chunk.toString().split("\n").filter(Boolean));
      done();
    },
  });
  return { stream, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

async function fail(logger: Logger): Promise<void> {
  const service = odataService({
    logger,
    entitySets: [
      entitySet(Note, {
        getAll: () => {
          const cause = Object.assign(new Error("NOT NULL constraint failed: notes.text"), {
            code: "ERR_SQLITE_ERROR",
            errcode: 1299,
          });
          throw new Error("The write failed.", { cause });
        },
      }),
    ],
  });
  const headers = { "X-Request-Id": "r-1" };
  const response = await service.fetch(new Request("http://service.example/Notes?$top=1", { headers }));
  expect(response.status).toBe(500);
}

const FIELDS = {
  requestId: "r-1",
  method: "GET",
  path: "/Notes",
  status: 500,
  set: "Notes",
  code: "ERR_SQLITE_ERROR",
  errcode: 1299,
  table: "notes",
  column: "text",
};

describe("pino", () => {
  test.each([
    ["as it is", (stream: Writable): Logger => pino(stream)],
    ["a child of it", (stream: Writable): Logger => pino(stream).child({})],
    ["by fromPino", (stream: Writable): Logger => fromPino(pino(stream))],
  ])("%s writes every field and the error", async (_name, make) => {
    const { stream, records } = linesOf();
    await fail(make(stream));
    expect(records()).toEqual([
      expect.objectContaining({
        ...FIELDS,
        level: 50,
        msg: "A request failed.",
        err: expect.objectContaining({
          type: "Error",
          message: "The write failed.: NOT NULL constraint failed: notes.text",
          stack: expect.stringMatching(/The write failed\.\n[^]*caused by: Error: NOT NULL/u) as string,
        }) as unknown,
      }),
    ]);
  });
});

test("winston writes every field, and the error where a format writes it as a text", async () => {
  const { stream, records } = linesOf();
  const withError = format((info) => ({ ...info, err: inspect(info["err"]) }));
  const logger = createLogger({
    format: format.combine(withError(), format.json()),
    transports: [new transports.Stream({ stream })],
  });
  await fail(logger);
  expect(records()).toEqual([
    {
      ...FIELDS,
      level: "error",
      message: "A request failed.",
      err: expect.stringMatching(/^Error: The write failed\.\n[^]*cause\][^]*notes\.text/u) as string,
    },
  ]);
});
