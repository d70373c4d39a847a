import java.io.FileInputStream;
import java.io.InputStream;
import java.security.cert.*;
import java.util.*;

/** Verifies each leaf (`LEAF=ISSUING=ROOT`, files in PEM) as PKIX has it, without revocation; prints `LEAF\tok` or why not. */
class VerifyChains {
  public static void main(String[] args) throws Exception {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    for (String arg : args) {
      List<Certificate> chain = new ArrayList<>();
      for (String file : arg.split("=")) {
        try (InputStream in = new FileInputStream(file)) {
          chain.add(factory.generateCertificate(in));
        }
      }
      X509Certificate root = (X509Certificate) chain.remove(2);
      PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(root, null)));
      parameters.setRevocationEnabled(false);
      String found = "ok";
      try {
        CertPathValidator.getInstance("PKIX").validate(factory.generateCertPath(chain), parameters);
      } catch (CertPathValidatorException refused) {
        found = String.valueOf(refused.getReason());
      }
      System.out.println(arg.split("=")[0] + "\t" + found);
    }
  }
}
