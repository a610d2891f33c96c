import {
  action,
  arraySource,
  authenticated,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasRequired,
  odataError,
  odataService,
  type ODataService,
  type ServiceOptions,
} from "odatakit";

const Note = entityType("Note", {
  id: edm.int32().key().computed(),
  title: edm.string({ maxLength: 40, minLength: 2 }),
  stars: edm.int32({ maximum: 5 }).nullable(),
  bookId: edm.int32().default(1),
  version: edm.int32().computed(),
});
const Book = entityType("Book", { id: edm.int32().key(), title: edm.string() });

/** A note, as it is kept. */
interface StoredNote {
  readonly id: number;
  readonly title: string;
  readonly stars: number | null;
  readonly bookId: number;
  readonly version: number;
}

/** The header or credential of each way to sign in, as `authenticate` expects it. */
export const RIGHT = {
  key: { header: "x-api-key", value: "right" },
  basic: { header: "authorization", value: `Basic ${Buffer.from("Zoë:päss").toString("base64")}` },
  bearer: { header: "authorization", value: "Bearer right" },
} as const;

/** A service of notes in memory, whose handlers a test can hold. */
export interface NotesService {
  readonly service: ODataService;
  readonly notes: Map<number, StoredNote>;
  /** Reads of notes wait for `until`, and `authenticate` for `signIn`; the test replaces them. */
  readonly held: { until: Promise<unknown>; signIn: Promise<unknown>; fails: boolean };
  /** How users sign in; null lets everybody in. */
  readonly signIn: { kind: keyof typeof RIGHT | null; /** Accepted in place of `RIGHT`. */ secret: string | null };
}

/** Makes the service. @param options such as the route of the explorer, with `challenge` */
export function notesService(options: Partial<ServiceOptions>, kind: keyof typeof RIGHT | null = null): NotesService {
  const notes = new Map<number, StoredNote>([
    [1, { id: 1, title: "first", stars: 3, bookId: 1, version: 1 }],
    [2, { id: 2, title: "second", stars: null, bookId: 1, version: 1 }],
  ]);
  const held = {
    until: Promise.resolve<unknown>(undefined),
    signIn: Promise.resolve<unknown>(undefined),
    fails: false,
  };
  const signIn: NotesService["signIn"] = { kind, secret: null };
  const books = [{ id: 1, title: "Logbook" }];
  let last = notes.size;
  const service = odataService({
    name: "notes",
    namespace: "Notes",
    profile: "standard",
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    authorization: kind === null ? [] : authenticated(),
    authenticate: async ({ headers }) => {
      await held.signIn;
      if (signIn.kind === null) return { id: "everybody" };
      const { header, value: usual } = RIGHT[signIn.kind];
      const value = signIn.secret === null ? usual : usual.replace("right", signIn.secret);
      const given = headers.get(header);
      if (given === null) return null;
      return given === value ? { id: "ann" } : odataError(401, "InvalidCredentials", "These credentials are wrong.");
    },
    entitySets: [
      entitySet(Note, {
        etag: ["version"],
        navigation: { book: hasRequired(Book, { on: { bookId: "id" }, target: "Books", partner: "notes" }) },
        getAll: async () => {
          await held.until;
          if (held.fails) throw odataError(503, "Resting", "The notes rest.");
          return [...notes.values()];
        },
        getByKey: async (id) => {
          await held.until;
          if (held.fails) throw odataError(503, "Resting", "The notes rest.");
          return notes.get(id) ?? null;
        },
        create: ({ title, stars, bookId }) => {
          last += 1;
          const note = { id: last, title, stars: stars ?? null, bookId, version: 1 };
          notes.set(note.id, note);
          return note;
        },
        patch: (id, delta) => {
          const before = notes.get(id);
          if (before === undefined) return null;
          const after = { ...before, ...delta, version: before.version + 1 };
          notes.set(id, after);
          return after;
        },
        delete: (id) => notes.delete(id),
        actions: {
          rate: action({
            bound: "entity",
            params: { stars: edm.int32({ maximum: 5 }), reason: edm.string({ maxLength: 5 }) },
            returns: edm.int32(),
            handler: (_id, { stars }) => stars,
          }),
        },
      }),
      entitySet(Book, {
        queryable: () => arraySource(Book, books),
        getByKey: (id) => books.find((book) => book.id === id) ?? null,
        navigation: { notes: hasMany(Note, { on: { id: "bookId" }, target: "Notes", partner: "book" }) },
      }),
    ],
    ...options,
  });
  return { service, notes, held, signIn };
}
