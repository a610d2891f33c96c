import { protocolError } from "../../base/errors/odata-error.ts";
import type { JsonValue } from "../../base/json/write-json.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { requestFields } from "../../definition/model/request-fields.ts";
import { bareMediaType, isMediaType } from "../../edm/media-type.ts";
import type { EntitySet } from "../../edm/model.ts";
import { readPreferences, type Preferences } from "../../http/headers.ts";
import { checkBodyHeaders, checkContentHeaders, readJsonBody } from "../../http/read-json-body.ts";
import { isMeantAsParameter } from "../../language/binder/bind-arguments.ts";
import { type QueryOptionsReading, readQueryOptions } from "../../language/binder/option-rules.ts";
import type { ResourcePath } from "../../language/query/resource-path.ts";
import type { Arrival } from "./arrival.ts";
import type { CallerAccess } from "./authorize.ts";
import { type ServiceRuntime, runtimeOf } from "./service-runtime.ts";

const NO_SETS: readonly never[] = Object.freeze([]);

/** The own part of a body with nested entities, which are written by requests of their own. */
export interface OwnBody {
  /** As `openBody`: the body that it reads has no nested entities. */
  readonly open: () => RequestBody;
  /** The navigation properties whose nested entities determine foreign keys of the entity. Known when the body is read. */
  readonly nested: () => ReadonlySet<string>;
}

/** A request of the client whose caller may use its route. No handler can be called through it. */
export class AuthorizedRequest {
  readonly service: ServiceRuntime;
  readonly arrival: Arrival;
  readonly access: CallerAccess;
  readonly path: ResourcePath;
  /** Null: the request writes its whole body. */
  readonly own: OwnBody | null;
  /** The base URL and the prefix, without a trailing slash: the base of all URLs in responses. */
  readonly serviceRoot: string;
  /** The sets that the query uses besides the set to read: noted for the headers of caches. Null for no declared set. */
  queriedSets: ReadonlyArray<EntitySet | null> = NO_SETS;
  #options: QueryOptionsReading | undefined;
  #preferences: Preferences | undefined;

  constructor(
    service: ServiceRuntime,
    arrival: Arrival,
    access: CallerAccess,
    path: ResourcePath,
    own: OwnBody | null = null,
  ) {
    this.own = own;
    this.service = service;
    this.arrival = arrival;
    this.access = access;
    this.path = path;
    this.serviceRoot = arrival.baseUrl + service.definition.prefix;
  }

  /** The absolute URL of the resource without query options. */
  get requestUrl(): string {
    const { baseUrl, sent, url } = this.arrival;
    return baseUrl + (sent ?? url).path;
  }

  /** The query options, read on first use. An error in them is kept until their turn in the order of checks. */
  get options(): QueryOptionsReading {
    return (this.#options ??= readRequestOptions(this));
  }

  /** The Prefer header, read on first use. */
  get preferences(): Preferences {
    return (this.#preferences ??= readPreferences(this.arrival.odata.header("prefer")));
  }
}

/**
 * Reads the query options of a request. A custom option that looks like a system query option is logged once for each
 * of them, because clients may omit the `$` by mistake. A parameter of a function is never a system query option.
 * @see docs/reference/query-options.md
 */
function readRequestOptions({ service, arrival, path }: AuthorizedRequest): QueryOptionsReading {
  const { signIsOptional, operatorsInAnyCase } = service.definition.profile;
  const reading = readQueryOptions((arrival.sent ?? arrival.url).query, {
    signIsOptional,
    operatorsInAnyCase,
    isParameter: (name) => isParameterOf(path, name),
  });
  for (const [name, option] of reading.options.similar) warnOnce(service, arrival, name, option);
  return reading;
}

/** Whether a name is one of a parameter of an addressed function. */
export function isParameterOf(path: ResourcePath, name: string): boolean {
  const operations = "operations" in path ? path.operations : [];
  return operations.some((operation) => operation.kind === "Function" && isMeantAsParameter(operation, name));
}

function warnOnce(
  { definition, warned }: ServiceRuntime,
  { odata, requestId, url }: Arrival,
  name: string,
  option: string,
): void {
  const warning = `custom query option ${option}`;
  if (warned.has(warning)) return;
  warned.add(warning);
  try {
    const fields = requestFields(definition, { id: requestId, method: odata.method, path: url.path });
    definition.logger.warn(
      `A client sent the custom query option \`${name}\`, which the service ignores. Did you mean \`${option}\`?`,
      { ...fields, option: name },
    );
  } catch {
    // A logger that throws leaves nowhere to report to.
  }
}

/** A body whose headers were checked, and that is still to be read. */
export interface RequestBody {
  /**
   * Reads and parses the body.
   * @param bind gets the parsed body, and whether it contains numbers as strings
   * @throws ODataError `PayloadTooLarge`, `InvalidBody`, and the error of `bind`
   */
  read<T>(bind: (json: JsonValue, ieee754Compatible: boolean) => T): Maybe<T>;
}

/**
 * Checks the headers of a body, before the query options are bound and the body is read.
 * @param entitySet the set with the limit; null: the limit of the registration
 * @param mayBeAbsent whether an absent body counts as `{}`; otherwise it is refused
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`
 * @see docs/reference/writing.md
 */
export function openBody(request: AuthorizedRequest, entitySet: EntitySet | null, mayBeAbsent = false): RequestBody {
  if (request.own !== null) return request.own.open();
  const { limits, defaultSettings } = request.service.definition;
  const settings = entitySet === null ? defaultSettings : runtimeOf(request.service, entitySet).settings;
  const { maxRequestBodyBytes: maxBytes } = settings;
  const { maxJsonDepth: maxDepth, maxJsonValues: maxValues } = limits;
  const { odata } = request.arrival;
  const { ieee754Compatible } = checkContentHeaders(odata, maxBytes);
  return {
    read: (bind) => {
      request.arrival.clock?.enter("body");
      const json = readJsonBody(odata, { maxBytes, maxDepth, maxValues, mayBeAbsent });
      return chain(json, (value) => bind(value, ieee754Compatible));
    },
  };
}

/** A body of bytes whose headers were checked, and that is still to be read. */
interface BytesBody {
  /** The Content-Type as sent; null if the request has neither a body nor a type. */
  readonly contentType: string | null;
  /**
   * Reads the body.
   * @returns bytes that share no memory with the connection
   * @throws ODataError `PayloadTooLarge`, `InvalidBody`
   */
  read(): Maybe<Uint8Array>;
}

/**
 * Checks the headers of a body of bytes.
 * @param accepts the media types that the property takes, in lower case; null: all
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`
 * @see docs/reference/properties.md
 */
export function openBytes(
  request: AuthorizedRequest,
  entitySet: EntitySet,
  accepts: readonly string[] | null,
): BytesBody {
  const { odata, clock } = request.arrival;
  const { maxRequestBodyBytes: maxBytes } = runtimeOf(request.service, entitySet).settings;
  checkBodyHeaders(odata, maxBytes);
  const sent = odata.header("content-type")?.trim() ?? "";
  const isAbsent = sent === "" && !odata.hasBody;
  if (!isAbsent && !(isMediaType(sent) && accepts?.includes(bareMediaType(sent)) !== false)) {
    const types = accepts === null ? "its media type" : accepts.join(" or ");
    throw protocolError("UnsupportedMediaType", `The bytes need another Content-Type. Send ${types}.`, {
      target: "Content-Type",
    });
  }
  return {
    contentType: isAbsent ? null : sent,
    read: () => {
      clock?.enter("body");
      return chain(odata.readBody(maxBytes), (bytes) => new Uint8Array(bytes));
    },
  };
}
