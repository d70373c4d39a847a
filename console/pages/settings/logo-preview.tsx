import { Card, Center, Image, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";

/** Shows the logo as users see it in one theme, whatever the viewer's theme. */
export function LogoPreview({
  theme,
  address,
  isOwn = false,
  displayName,
}: {
  theme: "light" | "dark";
  address: string;
  /** Whether the address is a path of this service. */
  isOwn?: boolean;
  displayName: string;
}) {
  const { t } = useTranslation();
  return (
    <Card
      withBorder
      component="figure"
      m={0}
      bg={theme === "light" ? "white" : "dark.8"}
      c={theme === "light" ? "black" : "gray.0"}
    >
      <Center mih={72}>
        <Logo key={address} address={address} isOwn={isOwn} displayName={displayName} />
      </Center>
      <Text component="figcaption" size="sm" ta="center" mt="xs">
        {t(`settings.preview.${theme}`)}
      </Text>
    </Card>
  );
}

function Logo({ address, isOwn, displayName }: { address: string; isOwn: boolean; displayName: string }) {
  const { t } = useTranslation();
  const [broken, setBroken] = useState(false);
  if (!(isOwn || /^https:\/\//i.test(address)) || broken) {
    return (
      <div>
        <Text fw={600} ta="center">
          {displayName}
        </Text>
        {address !== "" && (
          <Text size="sm" ta="center" role="status">
            {t("settings.logoMissing")}
          </Text>
        )}
      </div>
    );
  }
  return (
    <Image
      src={address}
      alt={displayName}
      referrerPolicy="no-referrer"
      mah={64}
      maw="100%"
      w="auto"
      fit="contain"
      onError={() => {
        setBroken(true);
      }}
    />
  );
}
