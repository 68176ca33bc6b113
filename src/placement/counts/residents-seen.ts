import type { Candidate } from '../candidate.ts';
import type { Resident } from './residents.ts';

/** These residents, and whom the candidate's question adds or takes away; callers filter who was added. */
export function seenBy(residents: ReadonlySet<Resident>, { changes }: Candidate): ReadonlySet<Resident> {
  if (changes.length === 0) return residents;
  const seen = new Set(residents);
  for (const { resident, sign } of changes) {
    if (sign > 0) seen.add(resident);
    else seen.delete(resident);
  }
  return seen;
}

/** The same for the residents of one place. */
export function seenAt(place: number, residents: ReadonlySet<Resident>, candidate: Candidate): ReadonlySet<Resident> {
  const changes = candidate.changes.filter(({ resident }) => resident.place === place);
  return changes.length === 0 ? residents : seenBy(residents, { ...candidate, changes });
}
