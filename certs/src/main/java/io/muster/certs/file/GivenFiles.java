package io.muster.certs.file;

import io.muster.certs.CertificateSource;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.Credentials;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.certs.x509.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A server's certificate and key from the files tls.crt and tls.key of a directory, read at every
 * check, so that a Secret which is mounted there may be renewed. Who calls verifies it by what they
 * trust themselves. Safe for concurrent use.
 */
public final class GivenFiles implements CertificateSource {

  private static final String CERTIFICATE = "tls.crt";
  private static final String KEY = "tls.key";

  /** Longer than any chain and key. */
  private static final long MOST_BYTES = 1_000_000;

  private final Path directory;
  private final InstantSource clock;

  public GivenFiles(Path directory, InstantSource clock) {
    this.directory = directory;
    this.clock = clock;
  }

  @Override
  public Credentials refresh(Predicate<X509Certificate> settled) {
    var chain = read(CERTIFICATE, Pem::certificates);
    var key = read(KEY, Pem::privateKey);
    Identity identity;
    try {
      identity = new Identity(key, chain);
    } catch (InvalidCertificateException e) {
      throw new InvalidCertificateException(e.fault(), sentence(KEY, e.getMessage()), e);
    }
    var now = clock.instant();
    var own = identity.certificate();
    var from = own.getNotBefore().toInstant();
    var until = own.getNotAfter().toInstant();
    if (now.isBefore(from) || now.isAfter(until)) {
      throw new InvalidCertificateException(
          CertificateFault.EXPIRED,
          sentence(CERTIFICATE, "it is valid from %s to %s".formatted(from, until)));
    }
    var highest = List.of(chain.getLast());
    return new Credentials(identity, highest, highest, List.of());
  }

  private <T> T read(String name, Function<String, T> parse) {
    try {
      return parse.apply(text(directory.resolve(name)));
    } catch (IOException e) {
      throw new InvalidCertificateException(
          CertificateFault.MISSING, sentence(name, "it cannot be read"), e);
    } catch (InvalidCertificateException e) {
      throw new InvalidCertificateException(e.fault(), sentence(name, e.getMessage()), e);
    }
  }

  private static String text(Path file) throws IOException {
    if (Files.size(file) > MOST_BYTES) {
      throw new InvalidCertificateException("it has more than %d bytes".formatted(MOST_BYTES));
    }
    return Files.readString(file);
  }

  private String sentence(String name, String problem) {
    return "%s: %s; put a certificate and its key there, as tls.crt and tls.key"
        .formatted(directory.resolve(name), problem);
  }
}
