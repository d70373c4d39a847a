import { ActionIcon, Code, CopyButton, Group, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "../icons.tsx";
import { useTranslation } from "react-i18next";

/** Shows a text that the user can copy unchanged. */
export function CopyBox({ text, label, block = false }: { text: string; label: string; block?: boolean }) {
  const { t } = useTranslation();
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code
        block={block}
        aria-label={label}
        tabIndex={block ? 0 : undefined}
        style={{ overflowWrap: "anywhere", flex: 1 }}
      >
        {text}
      </Code>
      <CopyButton value={text} timeout={2_000}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? t("copy.copied") : t("copy.copy")}>
            <ActionIcon
              variant="default"
              size="lg"
              onClick={copy}
              aria-label={`${copied ? t("copy.copied") : t("copy.copy")}: ${label}`}
            >
              {copied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
