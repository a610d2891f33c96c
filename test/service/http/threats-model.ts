import {
  action,
  applyDelta,
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  hasMany,
  odataService,
  type ServiceOptions,
} from "odatakit";
import { noFailures } from "./model.ts";

/** Has a hidden member. */
export const Address = complexType("Address", {
  city: edm.string().nullable(),
  secret: edm.string().nullable().ignored(),
});

/** Is nested in an account. */
export const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  home: edm.complex(Address).nullable(),
  secret: edm.string().nullable().ignored(),
  approved: edm.string().nullable().computed(),
});

/** Has hidden and computed members at every depth. */
export const Account = entityType("Account", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  home: edm.complex(Address).nullable(),
  homes: edm.collection(edm.complex(Address)),
  secret: edm.string().nullable().ignored(),
  approved: edm.string().nullable().computed(),
});

const HOME = { city: "Oslo", secret: "hidden" };
const NOTES = [1, 2, 3, 4, 5].map((id) => ({ id, text: "note", home: HOME, secret: "hidden", approved: "no" }));
const ACCOUNTS = [1, 2, 3, 4, 5].map((id) => ({
  id,
  name: null,
  home: HOME,
  homes: [HOME],
  secret: "hidden",
  approved: "no",
}));

/** Accounts and their notes, and everything that a client gave to a handler. */
export function accountService(options: Partial<ServiceOptions> = {}) {
  const given: unknown[] = [];
  const keep = <T>(value: T): T => {
    given.push(value);
    return value;
  };
  const saved = (id: number) => ACCOUNTS.find((account) => account.id === id) ?? null;
  const notes = entitySet(Note, {
    queryable: () => arraySource(Note, NOTES),
    getByKey: (id) => NOTES.find((note) => note.id === id) ?? null,
  });
  const accounts = entitySet(Account, {
    queryable: () => arraySource(Account, ACCOUNTS),
    getByKey: saved,
    create: (account) => ({ ...ACCOUNTS[0]!, id: keep(account).id }),
    replace: (id, account) => {
      keep(account);
      return saved(id);
    },
    patch: (id, delta) => {
      keep(delta);
      keep(applyDelta(Account, saved(id), delta));
      return saved(id);
    },
    delete: (id) => keep(id) > 0,
    etag: ["name"],
    allowDeepInsert: true,
    navigation: {
      notes: hasMany(Note, {
        target: "Notes",
        get: () => NOTES,
        create: (_key, note) => ({ ...NOTES[0]!, id: keep(note).id }),
        addRef: (_key, id) => {
          keep(id);
        },
      }),
    },
    actions: {
      move: action({
        bound: "entity",
        params: { to: edm.complex(Address), why: edm.string().nullable() },
        handler: (_key, { to, why }) => {
          keep(to);
          keep(why);
        },
      }),
    },
  });
  const service = odataService({ prefix: "/s", logger: noFailures, ...options, entitySets: [accounts, notes] });
  return { service, given };
}
