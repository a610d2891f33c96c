import {
  action,
  arraySource,
  edm,
  entitySet,
  entityType,
  fn,
  hasOptional,
  odataError,
  odataService,
  type ODataService,
  role,
  type ServiceOptions,
} from "odatakit";

const Author = entityType("Author", {
  id: edm.int32().key(),
  firstName: edm.string(),
  lastName: edm.string(),
});
const Book = entityType("Book", {
  code: edm.string().key(),
  title: edm.string({ maxLength: 40 }),
  pages: edm.int32({ maximum: 5000 }).nullable(),
  note: edm.string().nullable(),
  price: edm.decimal({ precision: 9, scale: 2 }).nullable(),
  authorId: edm.int32().nullable(),
});
const Slip = entityType("Slip", { id: edm.int32().key().computed(), text: edm.string() });
const Form = entityType("Form", {
  id: edm.int32().key(),
  name: edm.string(),
  place: edm.string().nullable(),
  salary: edm.int32().nullable(),
  scan: edm.string().nullable().onlyIfSelected(),
});

/** A service of sets without ETags, whose rows a test changes as another user would. */
export interface ShelfService {
  readonly service: ODataService;
  readonly books: Map<string, Record<string, unknown>>;
  readonly slips: Map<number, Record<string, unknown>>;
  /** Forms are replaced as a whole, and nobody may read their salaries. */
  readonly forms: Map<number, Record<string, unknown>>;
}

/** Makes the service. @param many how many authors there are besides the first two */
export function shelfService(options: Partial<ServiceOptions>, many = 0): ShelfService {
  const books = new Map<string, Record<string, unknown>>([
    ["K", { code: "K", title: "Kim", pages: 300, note: null, price: "9.50", authorId: 1 }],
    ["E", { code: "E", title: "Emma", pages: 400, note: "old", price: null, authorId: 2 }],
  ]);
  const slips = new Map<number, Record<string, unknown>>([[1, { id: 1, text: "slip" }]]);
  const forms = new Map<number, Record<string, unknown>>([
    [1, { id: 1, name: "Ann", place: "Bergen", salary: 100, scan: "long" }],
  ]);
  const authors = [
    { id: 1, firstName: "Rudyard", lastName: "Kipling" },
    { id: 2, firstName: "Jane", lastName: "Austen" },
    ...Array.from({ length: many }, (_, at) => ({ id: at + 3, firstName: "Nobody", lastName: `Number ${at + 3}` })),
  ];
  const patch =
    <Key>(rows: Map<Key, Record<string, unknown>>) =>
    (key: Key, delta: object) => {
      const before = rows.get(key);
      if (before === undefined) return null;
      rows.set(key, { ...before, ...delta });
      return rows.get(key) as never;
    };
  const handlers = <Key>(rows: Map<Key, Record<string, unknown>>) => ({
    getAll: () => [...rows.values()] as never[],
    getByKey: (key: Key) => (rows.get(key) ?? null) as never,
    delete: (key: Key) => rows.delete(key),
  });
  const service = odataService({
    name: "shelf",
    namespace: "Shelf",
    profile: "standard",
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    authenticate: () => ({ id: "everybody", roles: [] }),
    entitySets: [
      entitySet(Book, {
        navigation: { author: hasOptional(Author, { on: { authorId: "id" }, target: "Authors" }) },
        ...handlers(books),
        patch: patch(books),
        create: (book) => {
          if (books.has(book.code)) return odataError(409, "Conflict", "There is a book with this code.");
          books.set(book.code, { ...book });
          return book;
        },
        actions: { stamp: action({ bound: "entity", returns: edm.string(), handler: (code) => `stamped ${code}` }) },
      }),
      entitySet(Slip, {
        ...handlers(slips),
        create: ({ text }) => {
          const slip = { id: Math.max(0, ...slips.keys()) + 10, text };
          slips.set(slip.id, slip);
          return slip;
        },
      }),
      entitySet(Form, {
        authorization: { properties: { salary: { read: role("hr"), update: role("hr") } } },
        ...handlers(forms),
        replace: (key, form) => {
          forms.set(key, { ...form });
          return forms.get(key) as never;
        },
      }),
      entitySet(Author, {
        queryable: () => arraySource(Author, authors),
        getByKey: (id) => authors.find((author) => author.id === id) ?? null,
      }),
    ],
    functions: {
      note: fn({
        authorization: [],
        params: { text: edm.string() },
        returns: edm.string(),
        handler: ({ text }) => text,
      }),
    },
    ...options,
  });
  return { service, books, slips, forms };
}
