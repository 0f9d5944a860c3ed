package io.muster.certs;

import io.muster.certs.x509.CertificateBundle;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Keeps the certificates as long as the process lives: for tests and for running without a cluster.
 * Safe for concurrent use.
 */
public final class InMemoryCertificateStore implements CertificateStore {

  private final AtomicReference<Optional<CertificateBundle>> stored =
      new AtomicReference<>(Optional.empty());

  @Override
  public String place() {
    return "memory";
  }

  @Override
  public Optional<CertificateBundle> load() {
    return stored.get();
  }

  @Override
  public CertificateBundle create(CertificateBundle bundle) {
    return stored.updateAndGet(held -> held.isPresent() ? held : Optional.of(bundle)).orElseThrow();
  }

  @Override
  public CertificateBundle replace(CertificateBundle previous, CertificateBundle next) {
    return stored
        .updateAndGet(
            held -> held.isEmpty() || held.get().equals(previous) ? Optional.of(next) : held)
        .orElseThrow();
  }
}
