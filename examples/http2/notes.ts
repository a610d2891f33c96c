import { edm, entitySet, entityType } from "odatakit";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

/** Notes in the memory of the process. */
const stored = new Map([[1, { id: 1, text: "Serve it over HTTP/2" }]]);

export const notes = entitySet(Note, {
  getAll: () => [...stored.values()],
  getByKey: (id) => stored.get(id) ?? null,
  create: (note) => {
    stored.set(note.id, note);
    return note;
  },
});
