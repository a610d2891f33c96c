import { edm, entitySet, entityType, now, odataService } from "odatakit";

const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string(),
  author: edm.string(),
  createdAt: edm.dateTimeOffset({ precision: 3 }),
  updatedAt: edm.dateTimeOffset({ precision: 3 }),
});
const notes = entitySet(Note, {
  create: (note) => note,
  set: {
    author: { create: ({ user }) => user.id ?? "" },
    createdAt: { create: now },
    updatedAt: { create: now, update: now },
  },
});
const pad = odataService({ entitySets: [notes], authenticate: () => ({ id: "ann" }) });

const init = {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: '{"Id":1,"Text":"a","Author":"eve"}',
};
const note = (await (await pad.fetch(new Request("http://pad.example/Notes", init))).json()) as Record<string, unknown>;
console.log(note["Author"], note["CreatedAt"] === note["UpdatedAt"]);
