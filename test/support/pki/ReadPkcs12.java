import java.io.FileInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.HexFormat;

/**
 * Opens PKCS#12 files with an empty password and prints a line for each key found, separated by tabs: file, alias (UTF-8
 * in hex), algorithm, whether the key signs what the first certificate verifies, number of certificates in the chain.
 * Run from source: java ReadPkcs12.java file...
 */
public class ReadPkcs12 {
  private static final char[] EMPTY = new char[0];

  public static void main(String[] files) throws Exception {
    for (String file : files) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      try (InputStream in = new FileInputStream(file)) {
        store.load(in, EMPTY);
      }
      for (String alias : Collections.list(store.aliases())) {
        PrivateKey key = (PrivateKey) store.getKey(alias, EMPTY);
        Certificate[] chain = store.getCertificateChain(alias);
        String name = HexFormat.of().formatHex(alias.getBytes(StandardCharsets.UTF_8));
        System.out.println(
            String.join("\t", file, name, key.getAlgorithm(), "" + belongTogether(key, chain[0]), "" + chain.length));
      }
    }
  }

  private static boolean belongTogether(PrivateKey key, Certificate certificate) throws Exception {
    byte[] message = "any message".getBytes(StandardCharsets.UTF_8);
    Signature signature = Signature.getInstance(key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA");
    signature.initSign(key);
    signature.update(message);
    byte[] signed = signature.sign();
    signature.initVerify(certificate);
    signature.update(message);
    return signature.verify(signed);
  }
}
