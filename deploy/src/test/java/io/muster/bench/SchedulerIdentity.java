package io.muster.bench;

import io.muster.certs.Certificates;
import io.muster.sandbox.ExtenderEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What kube-scheduler shows to an extender that has these certificates. Immutable. */
public record SchedulerIdentity(Certificates certificates) {

  public static SchedulerIdentity of(Certificates certificates) {
    return new SchedulerIdentity(certificates);
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
    Files.writeString(endpoint.ca(), certificates.caBundlePem());
    Files.writeString(endpoint.certificate(), certificates.schedulerClient().chainPem());
    Files.writeString(endpoint.key(), certificates.schedulerClient().keyPem());
    return endpoint;
  }
}
