import { edm, entitySet, entityType, odataService } from "odatakit";
import { z } from "zod";

const Booking = entityType("Booking", {
  id: edm.int32().key(),
  guests: edm.int32({ minimum: 1, maximum: 8 }),
  code: edm.string({ minLength: 4, pattern: "^[A-Z]+$" }),
  from: edm.date(),
  to: edm.date(),
});
const bookings = entitySet(Booking, {
  create: (booking) => booking,
  validate: {
    create: z
      .object({ from: z.string(), to: z.string() })
      .refine(({ from, to }) => from < to, { path: ["to"], message: "The stay ends before it begins." }),
  },
});
const hotel = odataService({ profile: "standard", entitySets: [bookings] });

const body = JSON.stringify({ Id: 1, Guests: 9, Code: "AB1C", From: "2026-05-02", To: "2026-05-01" });
const init = { method: "POST", body, headers: { "Content-Type": "application/json" } };
const response = await hotel.fetch(new Request("http://hotel.example/Bookings", init));
const { error } = (await response.json()) as { error: { details: { target: string; message: string }[] } };
console.log(response.status);
for (const { target, message } of error.details) console.log(target, "|", message);
