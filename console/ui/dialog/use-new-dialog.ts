import { useDisclosure } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";

/**
 * Returns the state of a list's creation dialog. Its button or `?new=1` opens the dialog; the parameter is then removed
 * from the address.
 */
export function useNewDialog(): ReturnType<typeof useDisclosure> {
  const dialog = useDisclosure();
  const [, { open }] = dialog;
  const navigate = useNavigate();
  const isAsked = useSearch({ strict: false, select: (search) => search["new"] !== undefined });
  useEffect(() => {
    if (!isAsked) return;
    open();
    void navigate({ to: ".", search: (search) => ({ ...search, new: undefined }), replace: true });
  }, [isAsked, navigate, open]);
  return dialog;
}
