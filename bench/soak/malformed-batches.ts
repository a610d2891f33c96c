import { MULTIPART, toJsonBatch, toMultipart } from "./batch-text.ts";
import type { SoakClient } from "./client.ts";
import { MAX_BATCH_PARTS, SOAK_PREFIX } from "./soak-model.ts";

/** A batch that cannot be executed, and the right response. */
interface Malformed {
  readonly type: string;
  readonly body: string;
  readonly status: number;
  readonly code: string;
}

const ORDERS = `${SOAK_PREFIX}/Orders`;
/** A write that no malformed batch may execute. */
const WRITE = {
  method: "POST",
  url: ORDERS,
  body: { Owner: 1, Number: "malformed", Placed: "2024-01-10T12:30:00.100Z" },
} as const;
const JSON_TYPE = "application/json";
const GOOD = toMultipart([WRITE]);
const INVALID = { status: 400, code: "InvalidBody" } as const;

const BATCHES: readonly [Malformed, ...Malformed[]] = [
  { type: MULTIPART, body: "", ...INVALID },
  { type: MULTIPART, body: GOOD.slice(0, -4), ...INVALID },
  { type: MULTIPART, body: GOOD.replaceAll("batch_soak", "other"), ...INVALID },
  { type: MULTIPART, body: GOOD.replace("application/http", "text/plain"), ...INVALID },
  {
    type: MULTIPART,
    body: toMultipart(Array.from({ length: MAX_BATCH_PARTS + 1 }, () => WRITE)),
    status: 413,
    code: "PayloadTooLarge",
  },
  { type: "text/plain", body: GOOD, status: 415, code: "UnsupportedMediaType" },
  { type: JSON_TYPE, body: "", ...INVALID },
  { type: JSON_TYPE, body: '{"requests":[', ...INVALID },
  { type: JSON_TYPE, body: '{"requests":[{"id":"1"}]}', ...INVALID },
  {
    type: JSON_TYPE,
    body: toJsonBatch([
      { ...WRITE, id: "1" },
      { ...WRITE, id: "1" },
    ]),
    ...INVALID,
  },
];

/** Sends a malformed batch, and checks that it is refused as a whole. */
export async function sendMalformedBatch(client: SoakClient): Promise<void> {
  const { type, body, status, code } = client.random.pick(BATCHES);
  const headers = { "content-type": type };
  const answer = await client.expect("malformed batch", status, `${SOAK_PREFIX}/$batch`, {
    method: "POST",
    body,
    headers,
  });
  if (answer === null) return;
  const { error } = JSON.parse(answer.body.toString()) as { readonly error: { readonly code: string } };
  if (error.code !== code) client.violate("wrong response", `a malformed batch: ${error.code} instead of ${code}`);
}
