package io.muster.certs.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.certs.x509.ServerNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GivenFilesTest {

  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-11-22T06:00:00Z"));

  @TempDir private Path directory;
  private final CertificateAuthority authority = CertificateAuthority.create(CLOCK);
  private final Identity leaf = issued();

  private Identity issued() {
    return authority.issueServer(ServerNames.of("board.example"), CLOCK);
  }

  private void write(String certificate, String key) throws IOException {
    Files.writeString(directory.resolve("tls.crt"), certificate);
    Files.writeString(directory.resolve("tls.key"), key);
  }

  private Identity found(InstantSource clock) {
    return new GivenFiles(directory, clock).refresh(_ -> false).server();
  }

  private void refused(InstantSource clock, CertificateFault fault, String problem) {
    assertThatThrownBy(() -> found(clock))
        .isInstanceOf(InvalidCertificateException.class)
        .hasMessageStartingWith(directory.toString())
        .hasMessageContaining(problem)
        .hasMessageEndingWith("; put a certificate and its key there, as tls.crt and tls.key")
        .hasMessageNotContaining("PRIVATE")
        .extracting(thrown -> ((InvalidCertificateException) thrown).fault())
        .isEqualTo(fault);
  }

  @Test
  void whatIsWrittenIsShownAndSoIsWhatComesInItsPlace() throws IOException {
    write(leaf.chainPem(), leaf.keyPem());
    assertThat(found(CLOCK).certificate()).isEqualTo(leaf.certificate());

    var next = issued();
    write(next.chainPem(), next.keyPem());
    assertThat(found(CLOCK).certificate()).isEqualTo(next.certificate());
  }

  @Test
  void whatCannotBeUsedIsRefusedInOneSentence() throws IOException {
    refused(CLOCK, CertificateFault.MISSING, "tls.crt: it cannot be read");
    write("rubbish", leaf.keyPem());
    refused(CLOCK, CertificateFault.CORRUPT, "tls.crt: ");
    write(leaf.chainPem(), issued().keyPem());
    refused(CLOCK, CertificateFault.CORRUPT, "tls.key: ");
    write(leaf.chainPem(), "x".repeat(1_000_001));
    refused(CLOCK, CertificateFault.CORRUPT, "tls.key: it has more than 1000000 bytes");
    write(leaf.chainPem(), leaf.keyPem());
    refused(
        InstantSource.offset(CLOCK, Duration.ofDays(4_000)),
        CertificateFault.EXPIRED,
        "tls.crt: it is valid from ");
  }
}
