/** Returns a user's name on our pages, as they know it. */
export const personName = (person: {
  displayName: string | null;
  username: string | null;
  email: string;
  pairwiseId: string;
}): string => person.displayName ?? person.username ?? (person.email === "" ? person.pairwiseId : person.email);
