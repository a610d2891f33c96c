import fc from "fast-check";
import { applyAlong, applyOptions, applyQuery } from "../executors/relations-apply.ts";
import { GRAPH, quoted, type SetGraph } from "../executors/relations-graph.ts";
import { navigationQuery, type Query, setQuery, targetOf } from "../executors/relations-queries.ts";
import { IDS, NOTE_IDS, relationRows } from "../executors/relations-rows.ts";
import type { DatabasePair } from "./row-pairs.ts";
import { visibleRows, KEY_FIELDS, SETS, type Row, type SetName } from "./row-rules.ts";
import { TYPES } from "./row-store.ts";

/** Generates requests of every method to every route, including requests that are refused. */

/** One request; `$etag` in a header is replaced by the current ETag of the entity at `entity`. */
export interface RowRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** The path of the entity whose ETag is sent. */
  readonly entity?: string | undefined;
}

type Requests = fc.Arbitrary<RowRequest>;
type Text = fc.Arbitrary<string>;

export const TITLES: Readonly<Record<SetName, string>> = {
  publishers: "Publishers",
  authors: "Authors",
  books: "Books",
  chapters: "Chapters",
  notes: "Notes",
  tags: "Tags",
};
/** Rows whose values are used in bodies. */
const POOL = [relationRows(90_001), relationRows(90_002), relationRows(90_003)];

const from = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const fresh = [1, 2, 3, 4];

/** Keys that no database has at first. */
export const FRESH: Readonly<Record<SetName, readonly Row[]>> = {
  publishers: fresh.map((n) => ({ country: "ZZ", number: 100 + n })),
  authors: fresh.map((n) => ({ id: 100 + n })),
  books: fresh.map((n) => ({ id: `10000000-0000-0000-0000-00000000000${String(n)}` })),
  chapters: fresh.flatMap((n) => IDS.map((bookId) => ({ bookId, number: 100 + n }))),
  notes: fresh.map((n) => ({ id: BigInt(1000 + n) })),
  tags: fresh.map((n) => ({ code: `new${String(n)}` })),
};

export const DOMAIN: Readonly<Record<SetName, readonly Row[]>> = {
  publishers: ["DE", "de", "FR "].flatMap((country) => [1, 2].map((number) => ({ country, number }))),
  authors: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((id) => ({ id })),
  books: IDS.map((id) => ({ id })),
  chapters: IDS.flatMap((bookId) => [0, 1, 2, 3].map((number) => ({ bookId, number }))),
  notes: NOTE_IDS.map((id) => ({ id })),
  tags: ["x", "X", "x ", "ä", "a/b", "it's", "%", "&="].map((code) => ({ code })),
};

function graphOf(set: SetName): SetGraph {
  const graph = GRAPH[TITLES[set]];
  if (graph === undefined) throw new Error(`There is no set ${set}.`);
  return graph;
}

/** Returns a key as written between parentheses. */
export function keyPredicate(set: SetName, key: Row): string {
  const parts = KEY_FIELDS[set].map((field) => {
    const value = key[field];
    const isGuid = typeof value === "string" && IDS.some((id) => id.length === value.length) && value.includes("-");
    return [field, typeof value === "string" && !isGuid ? quoted(value) : String(value)] as const;
  });
  const [single] = parts;
  if (single !== undefined && parts.length === 1) return encodeURIComponent(single[1]);
  return parts.map(([field, text]) => `${titled(field)}=${encodeURIComponent(text)}`).join(",");
}

const titled = (field: string): string => field.slice(0, 1).toUpperCase() + field.slice(1);

/** Returns the body of a row: properties by wire names, without ignored ones; numbers as strings. */
export function wireBody(set: SetName, row: Row): Readonly<Record<string, unknown>> {
  const pairs = Object.entries(TYPES[set].properties).flatMap(([field, { declared }]) => {
    if (declared.ignored || !Object.hasOwn(row, field)) return [];
    return [[declared.json ?? titled(field), wireValue(row[field])] as const];
  });
  return Object.fromEntries(pairs);
}

function wireValue(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [titled(name), wireValue(each)]));
}

const JSON_TYPE: Readonly<Record<string, string>> = { "Content-Type": "application/json;IEEE754Compatible=true" };

/** The rows that writes of one round may mention. */
export interface Round {
  /** Rows that all users of the round see. */
  readonly visible: Readonly<Record<SetName, readonly Row[]>>;
}

/** The round of a pair. */
export function roundOf({ user, first }: DatabasePair): Round {
  return { visible: visibleRows(user, first) };
}

/** Makes requests for one round. */
class RoundRequests {
  readonly #round: Round;

  constructor(round: Round) {
    this.#round = round;
  }

  /** Any key: visible, hidden, missing or fresh. */
  any(set: SetName): fc.Arbitrary<Row> {
    const visible = this.#round.visible[set];
    return fc.oneof(
      { weight: 3, arbitrary: from(...DOMAIN[set]) },
      { weight: 1, arbitrary: from(...FRESH[set]) },
      ...(visible.length === 0 ? [] : [{ weight: 4, arbitrary: from(...visible) }]),
    );
  }

  /** A key of a new row. It is not the key of a hidden row, which may exist in only one database. */
  free(set: SetName): fc.Arbitrary<Row> {
    const visible = this.#round.visible[set];
    return fc.oneof(
      { weight: 4, arbitrary: from(...FRESH[set]) },
      ...(visible.length === 0 ? [] : [{ weight: 1, arbitrary: from(...visible) }]),
    );
  }

  /** The path of an entity. */
  path(set: SetName, key: fc.Arbitrary<Row> = this.any(set)): Text {
    return key.map((row) => `/${TITLES[set]}(${keyPredicate(set, row)})`);
  }

  body(set: SetName, key: fc.Arbitrary<Row>): fc.Arbitrary<Readonly<Record<string, unknown>>> {
    const rows = POOL.flatMap((data) => data[set] as readonly object[] as readonly Row[]);
    const visible = this.#round.visible[set];
    // Rows with the values of visible ones are visible themselves, more often.
    const values = fc.oneof(from(...rows), visible.length === 0 ? from(...rows) : from(...visible));
    const linked = fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: this.links(set) });
    return fc
      .tuple(values, linked, key)
      .map(([row, link, chosen]) => wireBody(set, { ...row, ...link, ...keyOf(set, chosen) }));
  }

  /** References to rows that are made in the same round. */
  links(set: SetName): fc.Arbitrary<Row> {
    if (set === "books") return this.free("authors").map(({ id }) => ({ authorId: id }));
    if (set === "authors") return this.free("authors").map(({ id }) => ({ mentorId: id }));
    if (set === "notes") return this.free("books").map(({ id }) => ({ bookId: id }));
    return fc.constant({});
  }

  /** Returns a body with nested entities. */
  graph(set: SetName): fc.Arbitrary<Readonly<Record<string, unknown>>> {
    const plain = this.body(set, this.free(set));
    const target = ({ authors: "books", books: "chapters" } as const)[set as string];
    if (target === undefined) return plain;
    const nested = fc.array(this.body(target, from(...FRESH[target])), { maxLength: 2 });
    return fc.tuple(plain, nested).map(([body, items]) => ({ ...body, [titled(target)]: items }));
  }

  create(set: SetName): Requests {
    const body = fc.oneof(
      { weight: 3, arbitrary: this.body(set, this.free(set)) },
      { weight: 1, arbitrary: this.graph(set) },
    );
    return fc.record({
      method: from("POST"),
      target: resultOptions(set).map((options) => `/${TITLES[set]}${options}`),
      headers: writeHeaders,
      body: body.map(textOfBody),
    });
  }

  /** PUT and PATCH. */
  change(set: SetName): Requests {
    const mayCreate = set === "books" || set === "tags";
    const key = mayCreate ? this.free(set) : this.any(set);
    const pathWithOptions = (row: Row): Text =>
      fc.tuple(this.path(set, fc.constant(row)), resultOptions(set)).map((parts) => parts.join(""));
    const replace = key.chain((row) =>
      this.conditional("PUT", pathWithOptions(row), this.body(set, fc.constant(row)).map(textOfBody)),
    );
    const patch = this.any(set).chain((row) =>
      this.conditional("PATCH", pathWithOptions(row), this.part(set).map(textOfBody)),
    );
    return fc.oneof(replace, patch, patch);
  }

  /** Some members of a row. */
  part(set: SetName): fc.Arbitrary<Readonly<Record<string, unknown>>> {
    return fc.tuple(this.body(set, this.any(set)), fc.nat(255)).map(([body, mask]) =>
      Object.fromEntries(
        Object.entries(body).filter(([name], index) => {
          const isKey = KEY_FIELDS[set].some((field) => titled(field) === name);
          return isKey ? mask === 0 : ((mask >> (index % 8)) & 1) === 1;
        }),
      ),
    );
  }

  remove(set: SetName): Requests {
    return this.conditional("DELETE", this.path(set), fc.constant(undefined));
  }

  /** Returns a write of a resource with an ETag. */
  conditional(method: string, path: Text, body: fc.Arbitrary<string | undefined>): Requests {
    return fc.tuple(path, writeHeaders, condition("If-Match"), body).map(([target, headers, tags, text]) => ({
      method,
      target,
      headers: { ...headers, ...tags },
      body: text,
      entity: /^[^)]*\)/.exec(target)?.[0],
    }));
  }

  property(set: SetName): Requests {
    const names = propertyNames(set);
    const path = fc.tuple(this.path(set), from(...names, "Missing")).map((parts) => parts.join("/"));
    const value = this.body(set, this.any(set)).chain((body) =>
      from(...Object.values(body), null).map((each) => JSON.stringify({ value: each })),
    );
    const read = fc.tuple(path, from("", "", "/$value"), condition("If-None-Match")).map(([target, tail, headers]) => ({
      method: "GET",
      target: target + tail,
      headers,
      entity: target.slice(0, target.lastIndexOf("/")),
    }));
    return fc.oneof(
      { weight: 3, arbitrary: read },
      { weight: 1, arbitrary: this.conditional("PUT", path, value) },
      { weight: 1, arbitrary: this.conditional("PATCH", path, value) },
      { weight: 1, arbitrary: this.conditional("DELETE", path, fc.constant(undefined)) },
    );
  }

  /** Links along all navigations, and entities that are created along them. */
  alongNavigations(set: SetName): Requests {
    const { toOne, toMany } = graphOf(set);
    const one = Object.entries(toOne).map(([name, target]) => {
      const path = this.path(set).map((text) => `${text}/${name}/$ref`);
      return fc.oneof(
        this.conditional(
          "PUT",
          path,
          this.reference(target).map((id) => JSON.stringify({ "@odata.id": id })),
        ),
        this.conditional("DELETE", path, fc.constant(undefined)),
      );
    });
    const many = Object.entries(toMany).map(([name, target]) => {
      const path = this.path(set).map((text) => `${text}/${name}`);
      const links = path.map((text) => `${text}/$ref`);
      const removed = fc
        .tuple(links, this.reference(target))
        .map(([text, id]) => `${text}?$id=${encodeURIComponent(id)}`);
      const related = setNamed(target);
      return fc.oneof(
        this.conditional(
          "POST",
          links,
          this.reference(target).map((id) => JSON.stringify({ "@odata.id": id })),
        ),
        this.conditional("DELETE", removed, fc.constant(undefined)),
        this.conditional("POST", path, this.body(related, this.free(related)).map(textOfBody)),
      );
    });
    return fc.oneof(...one, ...many);
  }

  /** Requests for a link that is stored in the row to which it leads, where there is one. */
  latest(): Requests {
    const path = this.path("authors").map((text) => `${text}/Latest`);
    const body = this.reference("Books").map((id) => JSON.stringify({ "@odata.id": id }));
    const reads = fc.oneof(
      path,
      path.map((text) => `${text}/$ref`),
      from(
        "/Authors?$expand=Latest",
        "/Authors?$orderby=Latest/Heading desc",
        "/Authors/$count?$filter=Latest eq null",
      ),
      from(
        "/Authors?$expand=Latest($filter=Active)&$filter=Latest/Pages ge 1",
        "/Books?$expand=Author($expand=Latest)",
      ),
    );
    return fc.oneof(
      reads.map((target) => ({ method: "GET", target: target.replaceAll(" ", "%20"), headers: {} })),
      this.conditional(
        "PUT",
        path.map((text) => `${text}/$ref`),
        body,
      ),
      this.conditional(
        "DELETE",
        path.map((text) => `${text}/$ref`),
        fc.constant(undefined),
      ),
    );
  }

  /** The name of an entity: mostly of the expected set. */
  reference(title: string): Text {
    const set = setNamed(title);
    return fc.oneof(
      { weight: 6, arbitrary: this.path(set).map((path) => path.slice(1)) },
      { weight: 3, arbitrary: this.path(set).map((path) => `${ORIGIN}${path}`) },
      { weight: 1, arbitrary: fc.oneof(...SETS.map((each) => this.path(each).map((path) => path.slice(1)))) },
      {
        weight: 1,
        arbitrary: from("", "Nothing(1)", `${title}(`, `${title}(x y)`, "http://else.where/Books(1)", title),
      },
    );
  }

  operation(): Requests {
    const id = from(...IDS, "x");
    const book = this.path("books");
    const options = from(
      "",
      "",
      "?$count=true",
      "?$top=2&$orderby=Id desc",
      "?$filter=Id ne null&$select=Id",
      "?$expand=Tags",
    );
    const get = (target: Text): Requests =>
      target.map((text) => ({ method: "GET", target: encodeURI(text), headers: {} }));
    const post = (target: Text, body: fc.Arbitrary<string | undefined> = fc.constant(undefined)): Requests =>
      fc.record({ method: from("POST"), target, headers: from(JSON_TYPE), body });
    return fc.oneof(
      get(options.map((text) => `/Books/priced${text}`)),
      get(options.map((text) => `/Books/priced()${text}`)),
      fc.tuple(book, id).map(([path, other]) => ({
        method: "GET",
        target: `${path}/other?id=${encodeURIComponent(other)}`,
        headers: {},
      })),
      book.map((path) => ({ method: "GET", target: `${path}/chaptersOf`, headers: {} })),
      post(
        from("/Books/pick"),
        id.map((text) => JSON.stringify({ id: text })),
      ),
      post(book.map((path) => `${path}/show`)),
      post(book.map((path) => `${path}/nothing`)),
      get(options.map((text) => `/Authors/oldest${text}`)),
      post(this.path("authors").map((path) => `${path}/notes`)),
      get(
        from(
          "/everyChapter",
          "/everyChapter?$filter=Number gt 1&$count=true",
          "/everyChapter?$expand=Book",
          "/everyTag",
        ),
      ),
      get(from("0", "1", "2", "3", "7", "x").map((text) => `/author?id=${text}`)),
      post(from("/everyNote")),
    );
  }

  malformed(): Requests {
    const anySet = from(...SETS);
    const texts = from(
      "",
      "{",
      "[]",
      "null",
      '{"Id":',
      '{"Id":1,"Id":2}',
      '{"Nothing":1}',
      '{"Author@odata.bind":"Authors(1)"}',
      "{}",
    );
    const paths = anySet.chain((set) => fc.oneof(this.path(set), from(`/${TITLES[set]}`)));
    const write = fc
      .tuple(from("POST", "PUT", "PATCH", "DELETE"), paths, texts, from(JSON_TYPE, { "Content-Type": "text/plain" }))
      // Such an upsert makes a tag, to which links of only one database may already refer.
      .filter(([method, target, body]) => !(method === "PUT" && body === "{}" && target.startsWith("/Tags(")))
      .map(([method, target, body, headers]): RowRequest => ({
        method,
        target,
        headers,
        body: method === "DELETE" ? undefined : body,
      }));
    const tails = [
      "?$filter=Nothing eq 1",
      "?$filter=",
      "?$orderby=Nothing",
      "?$top=-1",
      "?$skiptoken=AAAA",
      "?$skiptoken=%00",
      "?$select=Nothing",
      "?$expand=Nothing",
      "?$apply=x",
      "?$unknown=1",
      "?$format=xml",
      "?$filter=contains(Name",
      "?$top=1&$top=2",
      "?$skip=99999999999",
      "/Nothing",
      "/$count/$count",
      "/$ref",
      "(((",
      "(1,2)",
      "('x')",
      "()",
      "?$count=maybe",
      "?$search=",
      "?$skiptoken=AgAAAA==",
    ] as const;
    const read = fc
      .tuple(paths, from(...tails))
      .map(([path, tail]) => ({ method: "GET", target: path + tail, headers: {} }));
    const version = paths.map((target) => ({ method: "GET", target, headers: { "OData-MaxVersion": "3.0" } }));
    return fc.oneof({ weight: 4, arbitrary: write }, { weight: 4, arbitrary: read }, { weight: 1, arbitrary: version });
  }

  reads(): Requests {
    return this.get(fc.oneof({ weight: 3, arbitrary: setQuery }, { weight: 2, arbitrary: navigationQuery }));
  }

  /** `$apply` and `$compute` on every route that takes them. */
  applied(): Requests {
    const results = ([path, set]: readonly [path: string, set: string]) =>
      fc.record({ path: fc.constant(path), options: applyOptions(set) });
    const operations = (
      [
        ["/Books/priced", "Books"],
        ["/Authors/oldest", "Authors"],
        ["/everyChapter", "Chapters"],
      ] as const
    ).map(results);
    return this.get(
      fc.oneof(
        { weight: 6, arbitrary: applyQuery },
        { weight: 2, arbitrary: applyAlong },
        { weight: 1, arbitrary: fc.oneof(...operations) },
      ),
    );
  }

  /** A batch of reads. */
  batch(): Requests {
    const read = fc.oneof({ weight: 1, arbitrary: this.reads() }, { weight: 2, arbitrary: this.applied() });
    return fc.array(read, { minLength: 1, maxLength: 3 }).map((reads) => ({
      method: "POST",
      target: "/$batch",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        requests: reads.map(({ target }, index) => ({ id: String(index), method: "GET", url: target })),
      }),
    }));
  }

  get(query: fc.Arbitrary<Query>): Requests {
    return fc
      .tuple(query, condition("If-None-Match"), from("minimal", "minimal", "full"))
      .map(([given, tags, metadata]) => {
        const target = targetOf(given);
        const entity = /^\/\w+\([^?]*\)(?=\?|$)/.exec(target)?.[0];
        const accepted = metadata === "full" ? { Accept: "application/json;odata.metadata=full" } : {};
        const preferred = given.pageSize === undefined ? {} : { Prefer: `maxpagesize=${String(given.pageSize)}` };
        return {
          method: "GET",
          target,
          headers: { ...accepted, ...preferred, ...(entity === undefined ? {} : tags) },
          entity,
        };
      });
  }

  all(): Requests {
    const perSet = (make: (set: SetName) => Requests): Requests => fc.oneof(...SETS.map(make));
    return fc.oneof(
      { weight: 40, arbitrary: this.reads() },
      { weight: 24, arbitrary: this.applied() },
      { weight: 2, arbitrary: this.batch() },
      { weight: 8, arbitrary: perSet((set) => this.create(set)) },
      { weight: 10, arbitrary: perSet((set) => this.change(set)) },
      { weight: 2, arbitrary: perSet((set) => this.remove(set)) },
      { weight: 6, arbitrary: perSet((set) => this.property(set)) },
      { weight: 9, arbitrary: perSet((set) => this.alongNavigations(set)) },
      { weight: 2, arbitrary: this.latest() },
      { weight: 6, arbitrary: this.operation() },
      { weight: 3, arbitrary: this.malformed() },
    );
  }
}

export const ORIGIN = "http://service.example";

function textOfBody(body: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(body);
}

const writeHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = from(
  JSON_TYPE,
  JSON_TYPE,
  { ...JSON_TYPE, Prefer: "return=minimal" },
  { ...JSON_TYPE, Prefer: "return=representation" },
);

/** The options for the response of a write: mostly none. */
function resultOptions(set: SetName): Text {
  const { toOne, toMany } = graphOf(set);
  const names = [...Object.keys(toOne), ...Object.keys(toMany)];
  return from("", "", "", "?$expand=*", `?$expand=${names.join(",")}`, `?$select=${names.join(",")}`);
}

/** Mostly none. */
function condition(name: string): fc.Arbitrary<Readonly<Record<string, string>>> {
  const tags = from("$etag", "$etag", "*", '"x"', 'W/"x", $etag', "x");
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: tags.map((tag) => ({ [name]: tag })) },
  );
}

function setNamed(title: string): SetName {
  const found = SETS.find((set) => TITLES[set] === title);
  if (found === undefined) throw new Error(`There is no set ${title}.`);
  return found;
}

function keyOf(set: SetName, row: Row): Row {
  return Object.fromEntries(KEY_FIELDS[set].map((field) => [field, row[field]]));
}

function propertyNames(set: SetName): readonly string[] {
  return Object.keys(
    wireBody(set, Object.fromEntries(Object.keys(TYPES[set].properties).map((field) => [field, null]))),
  );
}

/** Requests of every kind for a round, the same for a seed. */
export function requestsOf(round: Round, seed: number, howMany: number): readonly RowRequest[] {
  return fc.sample(new RoundRequests(round).all(), { seed, numRuns: howMany });
}

/** Requests that write. Links occur more often, because some of them decide who sees an entity. */
export function writesOf(round: Round, seed: number, howMany: number): readonly RowRequest[] {
  const requests = new RoundRequests(round);
  const perSet = (make: (set: SetName) => Requests): Requests => fc.oneof(...SETS.map(make));
  const all = fc.oneof(
    { weight: 2, arbitrary: perSet((set) => requests.create(set)) },
    { weight: 3, arbitrary: perSet((set) => requests.change(set)) },
    { weight: 1, arbitrary: perSet((set) => requests.property(set).filter(({ method }) => method !== "GET")) },
    { weight: 2, arbitrary: perSet((set) => requests.alongNavigations(set)) },
    { weight: 2, arbitrary: fc.oneof(requests.alongNavigations("authors"), requests.alongNavigations("notes")) },
    { weight: 1, arbitrary: requests.latest().filter(({ method }) => method !== "GET") },
  );
  return fc.sample(all, { seed, numRuns: howMany });
}

/** Requests that change nothing. */
export function readsOf(round: Round, seed: number, howMany: number): readonly RowRequest[] {
  const requests = new RoundRequests(round);
  const perSet = SETS.map((set) => requests.property(set).filter(({ method }) => method === "GET"));
  const all = fc.oneof(
    { weight: 8, arbitrary: requests.reads() },
    { weight: 5, arbitrary: requests.applied() },
    { weight: 1, arbitrary: requests.batch() },
    { weight: 2, arbitrary: fc.oneof(...perSet) },
    { weight: 2, arbitrary: requests.operation() },
  );
  return fc.sample(all, { seed, numRuns: howMany });
}

/** Whether a request calls an operation: unlike sets and navigations, their names start with a small letter. */
export function callsOperation({ target }: RowRequest): boolean {
  return /^[^?]*\/[a-z]/.test(target);
}

/** Reads all entities with their related entities: everything that a user sees at the end. */
export const SWEEP: readonly RowRequest[] = SETS.flatMap((set) => {
  const { toOne, toMany } = graphOf(set);
  const names = [...Object.keys(toOne), ...Object.keys(toMany)];
  return [`/${TITLES[set]}?$count=true&$expand=${names.join(",")}`, `/${TITLES[set]}`].map((target) => ({
    method: "GET",
    target,
    headers: {},
  }));
});
