import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Asked } from "../ask.ts";
import { seededRandom } from "../random.ts";
import { SoakClient, withBody, type SoakRun } from "./client.ts";
import { MAX_BODY_BYTES, MAX_JSON_VALUES, QUERY_TIMEOUT, SOAK_PREFIX } from "./soak-model.ts";

/** A request that the service must refuse. */
interface Mistake {
  readonly path: string;
  readonly asked?: Asked;
  readonly status: number;
  readonly code: string;
}

/** Milliseconds between two mistakes of one client. */
const PAUSE = 5;
/** Milliseconds between two checks of the clock. */
const POLL = 100;
const NEW_ORDER = { Owner: 1, Number: "of a mistake", Placed: "2024-02-29T12:00:00Z" };
const OLD = { "if-match": '"old"' };
const MANY_NODES = Array.from({ length: 400 }, (_none, index) => `Id eq ${String(index)}`).join(" or ");
/** Reads that take a database seconds, and how it may end them. */
const DEAR_READS: ReadonlyArray<{ readonly path: string; readonly ends: readonly string[] }> = [
  {
    path: "/Products?$filter=Category/Products/any(p:p/Category/Products/any(q:concat(q/Name,p/Name) eq $it/Name))&$top=1",
    // SQLite limits the items that are inspected.
    ends: ["503 QueryTimeout", "400 InvalidQueryOption"],
  },
  {
    path: `/Products?$filter=${manyTests()}&$top=1`,
    ends: ["503 QueryTimeout", "200"],
  },
];

const MISTAKES: readonly Mistake[] = [
  { path: "/Nowhere", status: 404, code: "NotFound" },
  { path: "/Products(999999)", status: 404, code: "NotFound" },
  { path: "/Products(abc)", status: 400, code: "InvalidKey" },
  { path: "/Products%ZZ", status: 400, code: "InvalidUrl" },
  { path: "/Products?$filter=Nam eq 'x'", status: 400, code: "InvalidQueryOption" },
  { path: "/Products?$filter=(((Id", status: 400, code: "InvalidQueryOption" },
  { path: `/Products?$filter=${MANY_NODES}`, status: 400, code: "InvalidQueryOption" },
  { path: "/Products?$top=-1", status: 400, code: "InvalidQueryOption" },
  { path: "/Products?$skiptoken=wrong", status: 400, code: "InvalidSkipToken" },
  { path: "/Products?$colour=red", status: 400, code: "UnsupportedQueryOption" },
  { path: "/Products?$format=xml", status: 400, code: "UnsupportedFormat" },
  { path: "/Products", asked: { headers: { accept: "application/xml" } }, status: 406, code: "NotAcceptable" },
  {
    path: "/Products",
    asked: { headers: { "odata-maxversion": "3.0" } },
    status: 400,
    code: "UnsupportedODataVersion",
  },
  { path: "/Products", asked: withBody("POST", {}), status: 405, code: "MethodNotAllowed" },
  { path: "/Orders", asked: withBody("POST", '{"Owner":'), status: 400, code: "InvalidBody" },
  { path: "/Orders", asked: withBody("POST", { ...NEW_ORDER, Colour: 1 }), status: 400, code: "InvalidBody" },
  { path: "/Orders", asked: withBody("POST", { ...NEW_ORDER, Owner: null }), status: 400, code: "NullNotAllowed" },
  { path: "/Orders", asked: withBody("POST", { ...NEW_ORDER, Number: "shared-1" }), status: 409, code: "Conflict" },
  { path: "/Orders", asked: withBody("POST", { ...NEW_ORDER, CustomerId: 99_999 }), status: 409, code: "Conflict" },
  {
    path: "/Orders",
    asked: withBody("POST", "x", { "content-type": "text/plain" }),
    status: 415,
    code: "UnsupportedMediaType",
  },
  {
    path: "/Orders",
    asked: withBody("POST", { ...NEW_ORDER, "Customer@odata.bind": "Customers(1)" }),
    status: 501,
    code: "NotImplemented",
  },
  {
    // The second line is refused after the order and the first line were inserted.
    path: "/Orders",
    asked: withBody("POST", {
      ...NEW_ORDER,
      Lines: [
        { Position: 1, Text: "a" },
        { Position: 1, Text: "b" },
      ],
    }),
    status: 409,
    code: "Conflict",
  },
  {
    path: "/Orders",
    asked: withBody("POST", { ...NEW_ORDER, Note: "x".repeat(2 * MAX_BODY_BYTES) }),
    status: 413,
    code: "PayloadTooLarge",
  },
  {
    path: "/Orders",
    asked: withBody("POST", { ...NEW_ORDER, Lines: Array.from({ length: MAX_JSON_VALUES }, () => ({ Position: 1 })) }),
    status: 413,
    code: "PayloadTooLarge",
  },
  { path: "/Orders(999999)", asked: withBody("PATCH", { Note: "x" }), status: 404, code: "NotFound" },
  { path: "/Orders(999999)", asked: withBody("PATCH", { Note: "x" }, OLD), status: 412, code: "PreconditionFailed" },
  { path: "/Orders(1)", asked: withBody("PATCH", { Note: "x" }, OLD), status: 412, code: "PreconditionFailed" },
  { path: "/Orders(1)", asked: { method: "DELETE", headers: OLD }, status: 412, code: "PreconditionFailed" },
];

/** Sends every wrong request in turn until the end. */
export async function runMistakes(run: SoakRun, seed: number): Promise<void> {
  const client = new SoakClient(run, seededRandom(seed));
  let next = client.random.below(MISTAKES.length);
  while (!run.isOver()) {
    const mistake = MISTAKES[next % MISTAKES.length];
    next += 1;
    if (mistake !== undefined) await sendMistake(client, mistake);
    await sleep(PAUSE);
  }
  client.close();
}

/** Sends requests that take the database long. */
export async function runDearReads(run: SoakRun, seed: number): Promise<void> {
  const client = new SoakClient(run, seededRandom(seed));
  while (!run.isOver()) {
    for (const { path, ends } of DEAR_READS) {
      const answer = await client.send("dear read", SOAK_PREFIX + encodeURI(path));
      const end = answer === null ? null : [String(answer.status), codeOf(answer)].filter(Boolean).join(" ");
      if (end !== null && !ends.includes(end)) client.violate("unexpected status", `${end} for ${path.slice(0, 60)}`);
    }
    const end = performance.now() + client.random.below(2 * QUERY_TIMEOUT);
    while (performance.now() < end && !run.isOver()) await sleep(POLL);
  }
  client.close();
}

function manyTests(): string {
  return Array.from({ length: 190 }, (_none, index) => `contains(tolower(Description),'x${String(index)}')`).join(
    " or ",
  );
}

function codeOf({ status, body }: Answer): string | undefined {
  if (status < 400) return undefined;
  return (JSON.parse(body.toString()) as { readonly error: { readonly code: string } }).error.code;
}

async function sendMistake(client: SoakClient, { path, asked, status, code }: Mistake): Promise<void> {
  const target = path.includes("%") ? path : encodeURI(path);
  const answer = await client.expect("mistake", status, SOAK_PREFIX + target, asked);
  if (answer === null) return;
  const found = codeOf(answer);
  if (found !== code) client.violate("wrong response", `${path}: ${found ?? "no code"} instead of ${code}`);
}
