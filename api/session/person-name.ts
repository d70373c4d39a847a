/** Returns the most familiar of a user's names, for our pages. */
export const personName = (person: {
  displayName: string | null;
  username: string | null;
  email: string;
  pairwiseId: string;
}): string => person.displayName ?? person.username ?? (person.email === "" ? person.pairwiseId : person.email);
