package io.muster.webhook.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import io.muster.extender.core.gang.dialect.DialectKeys;
import io.muster.extender.http.WholeBody;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.webhook.core.Admission;
import io.muster.webhook.core.Entry;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.Shadow;
import io.muster.webhook.json.MalformedPodException;
import io.muster.webhook.json.PodReading;
import io.muster.webhook.port.AdmissionMeter;
import io.muster.webhook.port.AdmissionMeter.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the API server's AdmissionReview v1 about pods that are being created. It answers from
 * memory and writes nothing. A request that is not a review gets a plain HTTP error. After an
 * internal error the pod of a gang is refused, because it must not start without its gang, and any
 * other pod is admitted. Pods of shadow namespaces are never changed nor refused. Safe for
 * concurrent use.
 */
public final class AdmissionEndpoint {

  /** Above what the apiserver stores, with the wrapping of the review. */
  private static final int MAX_BODY_BYTES = 4 * 1024 * 1024;

  private static final Logger log = LoggerFactory.getLogger(AdmissionEndpoint.class);

  private final PodReading reading;
  private final PodAdmission admission;
  private final AdmissionMeter meter;

  /** One whose figures nobody reads. */
  public AdmissionEndpoint(
      PodConverter translation, PodAdmission.Sources sources, InstantSource clock) {
    this(translation, sources, clock, AdmissionMeter.NONE);
  }

  /**
   * @param clock states when a pod that is not stored yet is made
   */
  public AdmissionEndpoint(
      PodConverter translation,
      PodAdmission.Sources sources,
      InstantSource clock,
      AdmissionMeter meter) {
    this.reading = new PodReading(translation, clock, sources.namespaces());
    this.admission = new PodAdmission(sources);
    this.meter = meter;
  }

  /** Adds a {@code POST} for each entry of the registration. */
  public void addTo(JavalinDefaultRoutingApi routes) {
    Entry.changingPaths()
        .forEach(path -> routes.post(path, context -> answer(context, this::decide)));
    routes.post(Entry.SHADOW_PODS.path(), context -> answer(context, this::imagine));
  }

  private void answer(Context context, Deciding deciding) throws IOException {
    byte[] body = WholeBody.read(context, MAX_BODY_BYTES);
    long begun = System.nanoTime();
    var outcome = answer(context, body, deciding);
    meter.answered(outcome, Duration.ofNanos(System.nanoTime() - begun));
  }

  private static Outcome answer(Context context, byte[] body, Deciding deciding)
      throws IOException {
    if (body.length > MAX_BODY_BYTES) {
      refuse(context, 413, "the body is longer than 4 MiB");
      return Outcome.MALFORMED;
    }
    try {
      var review = Review.parse(body);
      var decided = review.isAboutNewPod() ? deciding.about(review) : Admission.UNCHANGED;
      send(context, 200, review.answer(decided));
      return switch (decided) {
        case Admission.Denied _ -> Outcome.DENIED;
        case Admission.Allowed allowed ->
            allowed.edits().isEmpty() ? Outcome.UNCHANGED : Outcome.CHANGED;
      };
    } catch (JsonProcessingException _) {
      refuse(context, 400, "the body is no JSON");
    } catch (MalformedReviewException | MalformedPodException e) {
      refuse(context, 400, e.getMessage());
    }
    return Outcome.MALFORMED;
  }

  private Admission decide(Review review) throws MalformedPodException {
    var pod = reading.sent(review.object(), review.namespace());
    boolean belongsToGang = true;
    try {
      belongsToGang = DialectKeys.areIn(pod.markings());
      var facts = reading.facts(pod);
      return admission.admit(facts);
    } catch (RuntimeException e) {
      log.error("pod not checked uid={} namespace={}", review.uid(), review.namespace(), e);
      return belongsToGang
          ? new Admission.Denied(500, "Muster could not check this pod of a gang; try again")
          : Admission.UNCHANGED;
    }
  }

  /** What would be decided of a pod whose namespace only observes. */
  private Admission imagine(Review review) throws MalformedPodException {
    var pod = reading.sent(review.object(), review.namespace());
    try {
      return Shadow.of(admission.admit(reading.facts(pod)));
    } catch (RuntimeException e) {
      log.error("pod not looked at uid={} namespace={}", review.uid(), review.namespace(), e);
      return Admission.UNCHANGED;
    }
  }

  private interface Deciding {
    Admission about(Review review) throws MalformedPodException;
  }

  private static void refuse(Context context, int status, String sentence) throws IOException {
    send(context, status, JsonNodeFactory.instance.objectNode().put("error", sentence));
  }

  private static void send(Context context, int status, JsonNode json) throws IOException {
    context.status(status).contentType("application/json");
    context.outputStream().write(json.toString().getBytes(StandardCharsets.UTF_8));
  }
}
