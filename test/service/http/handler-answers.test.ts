import { arraySource, edm, entitySet, entityType, odataError, odataService } from "odatakit";
import { describe, expect, test } from "vitest";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string().nullable() });

type NoteOptions = Parameters<typeof entitySet<typeof Note>>[1];
type ServiceExtras = Omit<Parameters<typeof odataService>[0], "entitySets">;

/** Imitates the result of a library with lazy queries: its `then` resolves the value, and returns nothing itself. */
function lazily<T>(value: T): PromiseLike<T> {
  const then = (resolve: (value: T) => void): void => resolve(value);
  // oxlint-disable-next-line unicorn/no-thenable -- the point of the test
  return { then } as PromiseLike<T>;
}

function lazilyFailing(error: unknown): PromiseLike<never> {
  const then = (_resolve: unknown, reject: (error: unknown) => void): void => reject(error);
  // oxlint-disable-next-line unicorn/no-thenable -- the point of the test
  return { then } as PromiseLike<never>;
}

function serviceWith(options: NoteOptions, extras: ServiceExtras = {}) {
  const failures: unknown[] = [];
  const logger = { error: (_message: string, fields: object) => void failures.push(fields), warn() {}, info() {} };
  const service = odataService({ ...extras, logger, entitySets: [entitySet(Note, options)] });
  const get = async (path: string) => {
    const response = await service.fetch(new Request(`http://service.example${path}`));
    return { status: response.status, body: JSON.parse(await response.text()) as never, failures };
  };
  return { service, get };
}

describe("a handler that answers with a bare thenable is waited for", () => {
  const rows = [{ id: 1, text: "a" }];

  test.each<[string, NoteOptions, string]>([
    ["getAll", { getAll: () => lazily(rows) }, "/Notes"],
    ["queryable", { queryable: () => lazily(arraySource(Note, rows)) }, "/Notes"],
    ["applyQuery", { applyQuery: () => lazily({ items: rows }) }, "/Notes"],
  ])("%s", async (_name, options, path) => {
    const { get } = serviceWith(options);
    expect(await get(path)).toMatchObject({ status: 200, body: { value: [{ Id: 1, Text: "a" }] }, failures: [] });
  });

  test("getByKey", async () => {
    const { get } = serviceWith({ getByKey: (id) => lazily({ id }) });
    expect(await get("/Notes(7)")).toMatchObject({ status: 200, body: { Id: 7 }, failures: [] });
  });

  test("a thenable function, too", async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- the point of the test
    const query = Object.assign(() => undefined, { then: (resolve: (value: object) => void) => resolve({ id: 7 }) });
    const { get } = serviceWith({ getByKey: () => query as never });
    expect(await get("/Notes(7)")).toMatchObject({ status: 200, body: { Id: 7 }, failures: [] });
  });

  test("its error becomes the response", async () => {
    const { get } = serviceWith({ getByKey: () => lazilyFailing(odataError(409, "Locked", "Not now.")) });
    expect(await get("/Notes(7)")).toMatchObject({ status: 409, body: { error: { code: "Locked" } }, failures: [] });
  });
});

describe("authenticate", () => {
  test.each<[string, ServiceExtras["authenticate"]]>([
    ["returned", () => odataError(401, "Unauthorized", "The token has expired.")],
    ["promised", async () => odataError(401, "Unauthorized", "The token has expired.")],
    ["lazily promised", () => lazily(odataError(401, "Unauthorized", "The token has expired."))],
    [
      "thrown",
      () => {
        throw odataError(401, "Unauthorized", "The token has expired.");
      },
    ],
  ])("an error that it %s becomes the response, never a user", async (_how, authenticate) => {
    let calls = 0;
    const getAll = () => {
      calls += 1;
      return [];
    };
    const { get } = serviceWith({ getAll }, { authenticate });
    expect(await get("/Notes")).toMatchObject({ status: 401, body: { error: { code: "Unauthorized" } }, failures: [] });
    expect(calls).toBe(0);
  });
});

test("getAll that returns no entities is a failure that says what to return", async () => {
  const { get } = serviceWith({ getAll: () => ({}) as never });
  const { status, failures } = await get("/Notes");
  expect(status).toBe(500);
  expect(failures).toMatchObject([{ err: { message: expect.stringContaining("return an array") as string } }]);
});

test("an iterator that fails stays failed: its source never returns an incomplete list", async () => {
  function* read() {
    yield { id: 1 };
    throw new Error("The file ends here.");
  }
  const source = arraySource(Note, read());
  const { get } = serviceWith({ queryable: () => source });
  expect(await get("/Notes")).toMatchObject({ status: 500 });
  expect(await get("/Notes")).toMatchObject({ status: 500 });
});

describe("a client that is gone", () => {
  const stopped = async (fail: (signal: AbortSignal) => unknown) => {
    const failures: unknown[] = [];
    const logger = { error: (_message: string, fields: object) => void failures.push(fields), warn() {}, info() {} };
    const gone = new AbortController();
    const getAll = (context: { readonly signal: AbortSignal }): never => {
      const { signal } = context;
      gone.abort();
      throw fail(signal);
    };
    const service = odataService({ logger, entitySets: [entitySet(Note, { getAll })] });
    const response = await service.fetch(new Request("http://service.example/Notes", { signal: gone.signal }));
    return { status: response.status, failures: failures.length };
  };

  test.each<[string, number, (signal: AbortSignal) => unknown]>([
    ["stops a handler: no failure", 0, (signal) => signal.reason],
    ["stops a database: no failure", 0, () => new DOMException("Stopped.", "AbortError")],
    ["does not excuse another error", 1, () => new Error("Broken.")],
  ])("%s", async (_what, failures, fail) => {
    expect(await stopped(fail)).toEqual({ status: 500, failures });
  });
});

describe("a failure names the mistake of the handler", () => {
  const Book = entityType("Book", { id: edm.int32().key(), title: edm.string() });
  const messageFor = async (options: Parameters<typeof entitySet<typeof Book>>[1], path: string) => {
    const failures: { readonly error?: unknown; readonly err?: unknown }[] = [];
    const logger = { error: (_message: string, fields: object) => void failures.push(fields), warn() {}, info() {} };
    const service = odataService({ logger, entitySets: [entitySet(Book, options)] });
    const response = await service.fetch(new Request(`http://service.example${path}`));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toMatch(/promise|titel/u);
    const [failure] = failures;
    return String(failure?.err ?? failure?.error);
  };
  const book = { id: 1, title: "Emma" };
  const promised = [book, Promise.resolve(book)] as never;
  const misspelt = { id: 1, titel: "Emma" } as never;

  test("a promise in the place of a value, and of a page", async () => {
    const late = { id: 1, title: Promise.resolve("Emma") } as never;
    expect(await messageFor({ getAll: () => [late] }, "/Books")).toContain(
      "/Title: the handler returned a promise: await it",
    );
    const items = Promise.resolve([book]) as never;
    expect(await messageFor({ applyQuery: () => ({ items }) }, "/Books")).toContain(
      "its `items` is a promise: await it",
    );
  });

  test.each<[string, Parameters<typeof entitySet<typeof Book>>[1], string]>([
    ["getAll", { getAll: () => promised }, "/Books"],
    ["getAll, counted", { getAll: () => promised }, "/Books/$count?$filter=Id eq 1"],
    ["applyQuery", { applyQuery: () => ({ items: promised }) }, "/Books"],
    ["search", { getAll: () => [], search: () => promised }, "/Books?$search=emma"],
  ])("a promise inside of a collection: %s", async (_name, options, path) => {
    expect(await messageFor(options, path)).toContain("item 1 is a promise: await it");
  });

  test("a promise among the rows of a source", async () => {
    expect(await messageFor({ queryable: () => arraySource(Book, promised) }, "/Books")).toContain("a promise");
  });

  test.each<[string, Parameters<typeof entitySet<typeof Book>>[1], string]>([
    ["getByKey", { getByKey: () => misspelt }, "/Books(1)"],
    ["getAll", { getAll: () => [misspelt] }, "/Books"],
    ["applyQuery", { applyQuery: () => ({ items: [misspelt] }) }, "/Books"],
  ])("a misspelt member: %s", async (_name, options, path) => {
    expect(await messageFor(options, path)).toContain(
      "Default.Book/Title: the handler returned undefined, but the property is not nullable. " +
        "The returned object has `titel`; did you mean `title`?",
    );
  });
});
