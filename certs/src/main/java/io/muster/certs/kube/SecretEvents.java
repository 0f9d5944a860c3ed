package io.muster.certs.kube;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.certs.CertificateWitness;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.Credentials;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in events on a Secret why it is not taken over: once for each sentence, and again every hour
 * as long as it is so. Confined to one thread at a time.
 */
public final class SecretEvents implements CertificateWitness {

  private static final Logger LOG = LoggerFactory.getLogger(SecretEvents.class);
  private static final Duration AGAIN_AFTER = Duration.ofHours(1);
  private static final int LONGEST_MESSAGE = 1024;

  private final KubernetesClient client;
  private final Place place;
  private final InstantSource clock;
  private String lastSaid = "";
  private Instant saidAt = Instant.MIN;

  /** The Secret that is spoken of, and who speaks. */
  public record Place(String namespace, String secret, String source) {}

  public SecretEvents(KubernetesClient client, Place place, InstantSource clock) {
    this.client = client;
    this.place = place;
    this.clock = clock;
  }

  @Override
  public void adopted(Credentials credentials) {
    lastSaid = "";
  }

  @Override
  public void refused(CertificateFault fault, String sentence) {
    Instant now = clock.instant();
    boolean isNew = !sentence.equals(lastSaid);
    if (!isNew && now.isBefore(saidAt.plus(AGAIN_AFTER))) {
      return;
    }
    lastSaid = sentence;
    saidAt = now;
    try {
      client.resource(event(fault, sentence, now)).create();
    } catch (KubernetesClientException e) {
      LOG.warn("An event could not be written reason=\"{}\"", e.getMessage());
    }
  }

  private Event event(CertificateFault fault, String sentence, Instant now) {
    String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
    return new EventBuilder()
        .withNewMetadata()
        .withGenerateName(place.secret() + ".")
        .withNamespace(place.namespace())
        .endMetadata()
        .withNewInvolvedObject()
        .withApiVersion("v1")
        .withKind("Secret")
        .withNamespace(place.namespace())
        .withName(place.secret())
        .endInvolvedObject()
        .withType("Warning")
        .withReason("Certificate" + word(fault))
        .withMessage(sentence.substring(0, Math.min(sentence.length(), LONGEST_MESSAGE)))
        .withNewSource()
        .withComponent(place.source())
        .endSource()
        .withFirstTimestamp(time)
        .withLastTimestamp(time)
        .withCount(1)
        .build();
  }

  private static String word(CertificateFault fault) {
    return fault.name().charAt(0) + fault.name().substring(1).toLowerCase(Locale.ROOT);
  }
}
