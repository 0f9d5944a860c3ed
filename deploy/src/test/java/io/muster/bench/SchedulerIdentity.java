package io.muster.bench;

import io.muster.certs.CertificateStore;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.Purpose;
import io.muster.sandbox.ExtenderEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What kube-scheduler shows to an extender that has these certificates. Immutable. */
public record SchedulerIdentity(CertificateBundle bundle) {

  public static SchedulerIdentity of(CertificateStore store) {
    return new SchedulerIdentity(store.load().orElseThrow());
  }

  /** Where an extender of this identity is to be reached, once {@link #writtenTo} wrote it. */
  public static ExtenderEndpoint in(Path folder, String urlPrefix) {
    return new ExtenderEndpoint(
        urlPrefix, folder.resolve("ca.crt"), folder.resolve("tls.crt"), folder.resolve("tls.key"));
  }

  /** Writes the three files. */
  public ExtenderEndpoint writtenTo(Path folder, String urlPrefix) throws IOException {
    var endpoint = in(folder, urlPrefix);
    Files.createDirectories(folder);
    var identity = bundle.leaf(Purpose.SCHEDULER_CLIENT).orElseThrow();
    Files.writeString(endpoint.ca(), bundle.trustedPem());
    Files.writeString(endpoint.certificate(), identity.chainPem());
    Files.writeString(endpoint.key(), identity.keyPem());
    return endpoint;
  }
}
