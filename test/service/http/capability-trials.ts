import { expect } from "vitest";
import { readCsdl } from "../../payload/csdl/validate-csdl.ts";
import { ORIGIN, type Service, url } from "./doors.ts";

/** A request that a claim is tried by. */
export interface Trial {
  readonly method: string;
  readonly path: string;
  readonly options?: Readonly<Record<string, string>>;
  /** The navigation property whose expansion contains the options. */
  readonly within?: string;
  readonly body?: object | undefined;
}

/** The sample key, body and options for the trials of a set. */
export interface Subject {
  /** The key of the existing entity. */
  readonly key: string;
  /** A valid body to create or replace an entity. */
  readonly body: object;
  /** A filter over each structural property, by its name. */
  readonly filters: Readonly<Record<string, string>>;
  /** An order over each structural property, by its name. */
  readonly orders: Readonly<Record<string, string>>;
}

/** A navigation property of a set, as the document describes it. */
interface Navigation {
  readonly name: string;
  readonly isCollection: boolean;
  readonly type: unknown;
  /** The name of the set that it leads to; empty without one. */
  readonly target: string;
}

/** An expression for each canonical function of the standard, and for some of later versions. */
const FUNCTION_TRIALS: Readonly<Record<string, string>> = {
  contains: "contains('abc','b')",
  startswith: "startswith('abc','a')",
  endswith: "endswith('abc','c')",
  length: "length('abc') eq 3",
  indexof: "indexof('abc','b') eq 1",
  substring: "substring('abc',1) eq 'bc' and substring('abc',1,1) eq 'b'",
  tolower: "tolower('A') eq 'a'",
  toupper: "toupper('a') eq 'A'",
  trim: "trim(' a ') eq 'a'",
  concat: "concat('a','b') eq 'ab'",
  year: "year(2020-01-02) eq 2020",
  month: "month(2020-01-02) eq 1",
  day: "day(2020-01-02) eq 2",
  hour: "hour(10:20:30) eq 10",
  minute: "minute(10:20:30) eq 20",
  second: "second(10:20:30) eq 30",
  fractionalseconds: "fractionalseconds(10:20:30.5) eq 0.5",
  totalseconds: "totalseconds(duration'PT2S') eq 2",
  date: "date(2020-01-02T10:20:30Z) eq 2020-01-02",
  time: "time(2020-01-02T10:20:30Z) eq 10:20:30",
  totaloffsetminutes: "totaloffsetminutes(2020-01-02T10:20:30+01:00) eq 60",
  now: "now() gt 2020-01-02T10:20:30Z",
  mindatetime: "mindatetime() lt 2020-01-02T10:20:30Z",
  maxdatetime: "maxdatetime() gt 2020-01-02T10:20:30Z",
  round: "round(1.5) eq 2",
  floor: "floor(1.5) eq 1",
  ceiling: "ceiling(1.5) eq 2",
  isof: "isof('1',Edm.String)",
  cast: "cast('1',Edm.String) eq '1'",
  "geo.distance": "geo.distance(geography'POINT(0 0)',geography'POINT(1 1)') gt 1",
  "geo.length": "geo.length(geography'LINESTRING(0 0,1 1)') gt 1",
  "geo.intersects": "geo.intersects(geography'POINT(0 0)',geography'POLYGON((0 0,1 1,0 1,0 0))')",
  matchesPattern: "matchesPattern('abc','b')",
  hassubset: "hassubset(['a'],['a'])",
  hassubsequence: "hassubsequence(['a'],['a'])",
  case: "case(true:true)",
};

type Json = Readonly<Record<string, unknown>>;

const CAPABILITIES = "@Org.OData.Capabilities.V1.";
const REFUSALS: ReadonlySet<string> = new Set([
  "UnsupportedQueryOption",
  "InvalidQueryOption",
  "NotFound",
  "MethodNotAllowed",
  "NotImplemented",
]);

/** Compares the claims of `$metadata` about the sets of a service with results of requests. A missing claim is the default. */
export class CapabilityTrials {
  /** How many claims were tried, by `Set.Term`. */
  readonly tried = new Map<string, number>();
  readonly #service: Service;
  readonly #subjects: Readonly<Record<string, Subject>>;
  readonly #profile: "specification" | "standard";
  readonly #restore: () => Promise<void>;
  #schema: Json = {};

  /** @param restore undoes the writes of a trial */
  constructor(
    service: Service,
    subjects: Readonly<Record<string, Subject>>,
    restore: () => Promise<void> = () => Promise.resolve(),
    profile: "specification" | "standard" = "specification",
  ) {
    this.#profile = profile;
    this.#service = service;
    this.#restore = restore;
    this.#subjects = subjects;
  }

  /** Tries every claim. An assertion fails for a false claim, and for a claim without a trial. */
  async run(): Promise<void> {
    const response = await this.#service.fetch(new Request(`${ORIGIN}/$metadata`));
    this.#schema = readCsdl(await response.text())["Default"] as Json;
    const sets = Object.entries(this.#container).filter(([, each]) => (each as Json)["$Collection"] === true);
    expectSame(
      sets.map(([name]) => name),
      Object.keys(this.#subjects),
    );
    for (const [set, subject] of Object.entries(this.#subjects)) {
      const claims = claimsOf(this.#container[set] as Json);
      const untried = [...claims.keys()].filter((term) => !Object.hasOwn(this.#trials, term));
      expectSame([set, untried], [set, []]);
      for (const [term, trial] of Object.entries(this.#trials)) await trial(set, subject, claims.get(term));
    }
    await this.#tryFunctions(claimsOf(this.#container));
  }

  get #container(): Json {
    return this.#schema["Container"] as Json;
  }

  readonly #trials: Readonly<Record<string, (set: string, subject: Subject, claim: unknown) => Promise<void>>> = {
    ReadRestrictions: async (set, { key }, claim = {}) => {
      const { Readable = true, ReadByKeyRestrictions = {}, ...rest } = claim as Json;
      const { Readable: byKey = Readable, ...more } = ReadByKeyRestrictions as Json;
      nothingElse(rest, more);
      await this.#expect(set, "Readable", Readable, { method: "GET", path: `/${set}` });
      await this.#expect(set, "ReadByKey", byKey, { method: "GET", path: `/${set}${key}` });
    },
    IndexableByKey: async (set, { key }, claim = true) => {
      await this.#expect(set, "IndexableByKey", claim, { method: "GET", path: `/${set}${key}` });
    },
    TopSupported: (set, _subject, claim = true) => this.#expectOption(set, "TopSupported", claim, { $top: "1" }),
    SkipSupported: (set, _subject, claim = true) => this.#expectOption(set, "SkipSupported", claim, { $skip: "1" }),
    ComputeSupported: (set, _subject, claim = false) =>
      this.#expectOption(set, "ComputeSupported", claim, { $compute: "1 add 1 as Probe" }),
    FilterRestrictions: async (set, { filters }, claim = {}) => {
      const { Filterable = true, NonFilterableProperties = [], ...rest } = claim as Json;
      nothingElse(rest);
      await this.#expectOption(set, "Filterable", Filterable, { $filter: "true" });
      const excluded = new Set(NonFilterableProperties as readonly string[]);
      for (const name of this.#structural(set)) {
        const isFilterable = Filterable === true && !excluded.has(name);
        await this.#expectOption(set, "FilterableProperty", isFilterable, { $filter: known(filters, name) });
      }
    },
    SortRestrictions: async (set, { orders }, claim = {}) => {
      const { Sortable = true, NonSortableProperties = [], ...rest } = claim as Json;
      nothingElse(rest);
      await this.#expectOption(set, "Sortable", Sortable, { $orderby: "now()" });
      const excluded = new Set(NonSortableProperties as readonly string[]);
      for (const name of this.#structural(set)) {
        const isSortable = Sortable === true && !excluded.has(name);
        for (const direction of ["asc", "desc"]) {
          const $orderby = `${known(orders, name)} ${direction}`;
          await this.#expectOption(set, "SortableProperty", isSortable, { $orderby });
        }
      }
    },
    SearchRestrictions: (set, _subject, claim = {}) => {
      const { Searchable = true, ...rest } = claim as Json;
      nothingElse(rest);
      return this.#expectOption(set, "Searchable", Searchable, { $search: 'a OR (NOT b AND "c d")' });
    },
    CountRestrictions: (set, _subject, claim = {}) => {
      const { Countable = true, ...rest } = claim as Json;
      nothingElse(rest);
      return this.#expectOption(set, "Countable", Countable, { $count: "true" });
    },
    SelectSupport: async (set, subject, claim = {}) => {
      const { Supported = true, ...rest } = claim as Json;
      nothingElse(rest);
      const places = await this.#places(set, subject);
      const options = this.#structural(set);
      for (const place of places) {
        const answers = [];
        for (const $select of options) answers.push(await this.#ask({ ...place, options: { $select } }));
        expectSame([place, "$select", answers.some(({ isTaken }) => isTaken)], [place, "$select", Supported]);
        this.#note(set, "SelectSupport");
      }
      if (Supported === true) expectSame([set, places.length > 0], [set, true]);
    },
    ExpandRestrictions: async (set, subject, claim = {}) => {
      const { Expandable = true, NonExpandableProperties = [], MaxLevels, ...rest } = claim as Json;
      nothingElse(rest);
      const isLimited = Expandable === true && this.#navigations(set).length > 0;
      expectSame([set, "MaxLevels", MaxLevels], [set, "MaxLevels", isLimited ? 3 : undefined]);
      const excluded = new Set(NonExpandableProperties as readonly string[]);
      const places = await this.#places(set, subject, false);
      for (const place of places) {
        const { isTaken: expandsAll } = await this.#ask({ ...place, options: { $expand: "*" } });
        expectSame([place, "*", expandsAll], [place, "*", Expandable]);
        for (const { name: $expand } of this.#navigations(set)) {
          const { isTaken, text } = await this.#ask({ ...place, options: { $expand } });
          // Navigations that nothing loads are omitted.
          const isThere = isTaken && text.includes(`"${$expand}":`);
          const isClaimed = Expandable === true && !excluded.has($expand);
          expectSame([place, $expand, isThere], [place, $expand, isClaimed]);
          if (Expandable === false) expectSame([place, $expand, isTaken], [place, $expand, false]);
          this.#note(set, "Expandable");
        }
      }
    },
    NavigationRestrictions: async (set, subject, claim = { Navigability: "None" }) => {
      const { Navigability, RestrictedProperties = [], ...rest } = claim as Json;
      nothingElse(rest);
      const restricted = new Map(
        (RestrictedProperties as readonly Json[]).map((each) => [each["NavigationProperty"], each]),
      );
      const navigations = this.#navigations(set);
      const names = new Set<unknown>(navigations.map(({ name }) => name));
      expectSame(
        [...restricted.keys()].filter((name) => !names.has(name)),
        [],
      );
      for (const { name, isCollection, type, target } of navigations) {
        const own: Json = restricted.get(name) ?? {};
        const { NavigationProperty: _name, Navigability: ownNavigability, InsertRestrictions, ...more } = own;
        nothingElse(more);
        const path = `/${set}${subject.key}/${name}`;
        const navigability = ownNavigability ?? Navigability;
        expectSame(["Single", "None"].includes(String(navigability)), true);
        await this.#expect(set, "Navigability", navigability === "Single", { method: "GET", path });
        // If only links have handlers, references are read as empty: the metadata does not mention this.
        const { isTaken, text } = await this.#ask({ method: "GET", path: `${path}/$ref` });
        const isEmpty = isTaken && !text.includes('"@odata.id"');
        const isClaimed = navigability === "Single" ? isTaken : !isTaken || isEmpty;
        expectSame([path, "$ref", isClaimed, isClaimed ? "" : text], [path, "$ref", true, ""]);
        this.#note(set, "Navigability");
        // In the standard's profile, paths go on behind one entity: the claim of a single level says less.
        const goesOn = this.#profile === "standard" && !isCollection;
        for (const next of target === "" || goesOn ? [] : this.#navigations(target)) {
          await this.#expect(set, "NavigationOnwards", false, { method: "GET", path: `${path}/${next.name}` });
        }
        if (!isCollection) {
          expectSame([name, InsertRestrictions], [name, undefined]);
          continue;
        }
        const assumed = claimsOf((this.#container[target] ?? {}) as Json).get("InsertRestrictions");
        const { Insertable = true, ...others } = (InsertRestrictions ?? assumed ?? {}) as Json;
        nothingElse(others);
        const body = this.#bodyOf(type);
        await this.#expect(set, "InsertableAlong", Insertable, { method: "POST", path, body });
      }
    },
    InsertRestrictions: (set, { body }, claim = {}) => {
      const { Insertable = true, ...rest } = claim as Json;
      nothingElse(rest);
      return this.#expect(set, "Insertable", Insertable, { method: "POST", path: `/${set}`, body });
    },
    UpdateRestrictions: async (set, { key, body }, claim = {}) => {
      const { Updatable = true, UpdateMethod = "PATCH", ...rest } = claim as Json;
      nothingElse(rest);
      expectSame(["PATCH", "PUT"].includes(String(UpdateMethod)), true);
      const path = `/${set}${key}`;
      const isPatched = Updatable === true && UpdateMethod === "PATCH";
      await this.#expect(set, "Updatable", isPatched, { method: "PATCH", path, body: {} });
      // PUT may be accepted as well as PATCH.
      if (!isPatched) await this.#expect(set, "Updatable", Updatable, { method: "PUT", path, body });
    },
    DeleteRestrictions: (set, { key }, claim = {}) => {
      const { Deletable = true, ...rest } = claim as Json;
      nothingElse(rest);
      return this.#expect(set, "Deletable", Deletable, { method: "DELETE", path: `/${set}${key}` });
    },
  };

  /** Checks that listed functions are accepted wherever filters are, and that others are not. */
  async #tryFunctions(claims: ReadonlyMap<string, unknown>): Promise<void> {
    const filterable = Object.keys(this.#subjects).filter((set) => {
      const { Filterable = true } = (claimsOf(this.#container[set] as Json).get("FilterRestrictions") ?? {}) as Json;
      return Filterable;
    });
    const { FilterFunctions, BatchSupport, QuerySegmentSupported, ...rest } = Object.fromEntries(claims);
    nothingElse(rest);
    await this.#tryBatches(BatchSupport as Json);
    await this.#tryQuerySegments(QuerySegmentSupported);
    expectSame([filterable, FilterFunctions !== undefined], [filterable, filterable.length > 0]);
    if (FilterFunctions === undefined) return;
    const listed = new Set(FilterFunctions as readonly string[]);
    expectSame(
      [...listed].filter((name) => !Object.hasOwn(FUNCTION_TRIALS, name)),
      [],
    );
    for (const [name, $filter] of Object.entries(FUNCTION_TRIALS)) {
      for (const set of filterable) await this.#expectOption(set, "FilterFunctions", listed.has(name), { $filter });
    }
  }

  /** Checks the claims about batches with a request of each format. */
  async #tryBatches(claim: Json): Promise<void> {
    expectSame(claim, {
      ContinueOnErrorSupported: true,
      ReferencesInRequestBodiesSupported: true,
      ReferencesAcrossChangeSetsSupported: true,
      SupportedFormats: ["multipart/mixed"],
    });
    for (const type of ["multipart/mixed; boundary=b", "application/json"]) {
      const request = { method: "POST", headers: { "Content-Type": type }, body: "--b--" };
      const { status } = await this.#service.fetch(new Request(`${ORIGIN}/$batch`, request));
      expectSame([type, status], [type, type.startsWith("multipart") ? 200 : 415]);
    }
  }

  /** Checks that paths which can be read accept query options in the body, and that the service says so. */
  async #tryQuerySegments(claim: unknown): Promise<void> {
    const statuses: number[] = [];
    const paths = Object.entries(this.#subjects).flatMap(([set, { key }]) => [
      `/${set}`,
      `/${set}${key}`,
      ...this.#navigations(set).map(({ name }) => `/${set}${key}/${name}`),
    ]);
    for (const path of paths) {
      const headers = { "Content-Type": "text/plain" };
      const read = await this.#service.fetch(new Request(ORIGIN + path));
      const request = new Request(`${ORIGIN}${path}/$query`, { method: "POST", headers, body: "" });
      const { status } = await this.#service.fetch(request);
      expectSame([path, status], [path, read.status === 405 ? 404 : read.status]);
      statuses.push(status);
    }
    expectSame(claim, statuses.includes(200) ? true : undefined);
  }

  /** Returns the requests that return entities of a set. @param isReached whether those to other sets count */
  async #places(set: string, { key, body }: Subject, isReached = true): Promise<readonly Trial[]> {
    const reached = Object.entries(this.#subjects).flatMap(([other, subject]) =>
      this.#navigations(other)
        .filter(({ target }) => target === set)
        .flatMap(({ name }) => [
          { method: "GET", path: `/${other}${subject.key}/${name}` },
          { method: "GET", path: `/${other}`, within: name },
          { method: "GET", path: `/${other}${subject.key}`, within: name },
          { method: "POST", path: `/${other}`, within: name, body: subject.body },
          { method: "PUT", path: `/${other}${subject.key}`, within: name, body: subject.body },
          { method: "PATCH", path: `/${other}${subject.key}`, within: name, body: {} },
        ]),
    );
    const candidates: readonly Trial[] = [
      { method: "GET", path: `/${set}` },
      { method: "GET", path: `/${set}${key}` },
      { method: "POST", path: `/${set}`, body },
      { method: "PUT", path: `/${set}${key}`, body },
      { method: "PATCH", path: `/${set}${key}`, body: {} },
      ...(isReached ? reached : []),
    ];
    const places: Trial[] = [];
    for (const each of candidates) {
      const { isTaken, text } = await this.#ask(each);
      if (isTaken && (each.within === undefined || text.includes(`"${each.within}":`))) places.push(each);
    }
    return places;
  }

  #expectOption(set: string, claim: string, claimed: unknown, options: Trial["options"] = {}): Promise<void> {
    return this.#expect(set, claim, claimed, { method: "GET", path: `/${set}`, options });
  }

  async #expect(set: string, claim: string, claimed: unknown, trial: Trial): Promise<void> {
    const { isTaken, text } = await this.#ask(trial);
    expectSame([claim, trial, isTaken, isTaken === claimed ? "" : text], [claim, trial, claimed, ""]);
    this.#note(set, claim);
  }

  #note(set: string, claim: string): void {
    const name = `${set}.${claim}`;
    this.tried.set(name, (this.tried.get(name) ?? 0) + 1);
  }

  async #ask(trial: Trial): Promise<{ readonly isTaken: boolean; readonly text: string }> {
    const { method, path, options = {}, within, body } = trial;
    const nested = Object.entries(options).map(([name, value]) => `${name}=${value}`);
    const $expand = nested.length === 0 ? (within ?? "") : `${within ?? ""}(${nested.join(";")})`;
    const response = await this.#service.fetch(
      new Request(ORIGIN + url(path, within === undefined ? options : { $expand }), {
        method,
        headers: { "Content-Type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    if (method !== "GET") await this.#restore();
    if (response.ok) return { isTaken: true, text };
    const { error } = JSON.parse(text) as { readonly error: { readonly code: string } };
    // Any other failure says nothing about the capability.
    expectSame([trial, REFUSALS.has(error.code) ? "" : text], [trial, ""]);
    return { isTaken: false, text };
  }

  #members(set: string): ReadonlyArray<readonly [string, Json]> {
    const { $Type } = this.#container[set] as { readonly $Type: string };
    const type = this.#schema[$Type.replace("Default.", "")] as Readonly<Record<string, Json>>;
    return Object.entries(type).filter(([name]) => !/^[$@]/.test(name));
  }

  #structural(set: string): readonly string[] {
    const members = this.#members(set).filter(([, member]) => member["$Kind"] !== "NavigationProperty");
    return members.map(([name]) => name);
  }

  #navigations(set: string): readonly Navigation[] {
    const { $NavigationPropertyBinding: targets = {} } = this.#container[set] as {
      readonly $NavigationPropertyBinding?: Readonly<Record<string, string>>;
    };
    return this.#members(set)
      .filter(([, member]) => member["$Kind"] === "NavigationProperty")
      .map(([name, { $Collection, $Type: type }]) => {
        return { name, isCollection: $Collection === true, type, target: targets[name] ?? "" };
      });
  }

  #bodyOf(type: unknown): object | undefined {
    const home = Object.keys(this.#subjects).find((set) => (this.#container[set] as Json)["$Type"] === type);
    return this.#subjects[home ?? ""]?.body;
  }
}

function expectSame(actual: unknown, expected: unknown): void {
  expect(actual).toEqual(expected);
}

function claimsOf(target: Json): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(target)
      .filter(([name]) => name.startsWith(CAPABILITIES))
      .map(([name, claim]) => [name.slice(CAPABILITIES.length), claim]),
  );
}

/** Asserts that no properties of claims are left, because no trial checks them. */
function nothingElse(...rest: readonly Json[]): void {
  expectSame(
    rest.map((each) => Object.keys(each)),
    rest.map(() => []),
  );
}

function known(table: Readonly<Record<string, string>>, name: string): string {
  const expression = table[name];
  if (expression === undefined) throw new Error(`${name} has no trial.`);
  return expression;
}
