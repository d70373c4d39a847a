/** What a person is called on our pages: as they know themselves. */
export const personName = (person: {
  displayName: string | null;
  username: string | null;
  email: string;
  pairwiseId: string;
}): string => person.displayName ?? person.username ?? (person.email === "" ? person.pairwiseId : person.email);
