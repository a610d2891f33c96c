import { edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

interface NoteService {
  readonly note: { id: number; text: string };
  /** The starts of the texts that the writes expected. */
  readonly expected: readonly unknown[];
  readonly send: (path: string, init?: RequestInit) => Promise<Response>;
}

/** A service with one note, whose text is long. */
function openService(onRead: () => void = () => undefined): NoteService {
  const note = { id: 1, text: "ü".repeat(15_000_000) };
  const expected: unknown[] = [];
  const service = odataService({
    entitySets: [
      entitySet(Note, {
        name: "Notes",
        etag: ["text"],
        getAll: () => [note],
        getByKey: () => {
          onRead();
          return note;
        },
        patch: (_id, delta, context) => {
          expected.push(String(context.expected?.text).slice(0, 3));
          return { ...note, ...delta };
        },
      }),
    ],
  });
  return {
    note,
    expected,
    send: async (path, init) => service.fetch(new Request(`http://notes.example/${path}`, init)),
  };
}

function patch(etag: string, header = "If-Match"): RequestInit {
  return { method: "PATCH", headers: { [header]: etag, "Content-Type": "application/json" }, body: '{"Text":"x"}' };
}

describe("the ETag of a long value", () => {
  test("is one in header, entity and list, and a condition of reads and writes", async () => {
    const { send, expected } = openService();
    const read = await send("Notes(1)");
    const etag = read.headers.get("etag") ?? "";
    const entity = (await read.json()) as Readonly<Record<string, unknown>>;
    expect(entity["@odata.etag"]).toBe(etag);
    const list = await send("Notes?$select=Id");
    expect(await list.json()).toMatchObject({ value: [{ "@odata.etag": etag, Id: 1 }] });
    const unchanged = await send("Notes(1)", { headers: { "If-None-Match": etag } });
    expect(unchanged.status).toBe(304);
    const statuses = [];
    for (const [tag, header] of [[etag], ['"other"'], [etag, "If-None-Match"], ['"other"', "If-None-Match"]] as const) {
      statuses.push((await send("Notes(1)", patch(tag, header))).status);
    }
    expect(statuses).toEqual([200, 412, 412, 200]);
    expect(expected).toEqual(["üüü", "üüü"]);
  });

  test("is compared with the values that the write expects, even if the application changes them meanwhile", async () => {
    let onRead = (): void => undefined;
    const { send, note, expected } = openService(() => onRead());
    const etag = (await send("Notes(1)/Id")).headers.get("etag") ?? "";
    const read = new Promise<void>((resolve) => {
      onRead = resolve;
    });
    const pending = send("Notes(1)", patch(etag));
    await read;
    note.text = "new";
    expect((await pending).status).toBe(200);
    expect(expected).toEqual(["üüü"]);
  });
});
