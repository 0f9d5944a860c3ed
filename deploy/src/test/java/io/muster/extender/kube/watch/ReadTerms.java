package io.muster.extender.kube.watch;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.core.protocol.Event;
import java.util.List;

/** What {@link TermsFeed} tells of an object in which terms stand, without watching it. */
public final class ReadTerms {

  private ReadTerms() {}

  /** The same, whatever the object says that it is: it is read as every kind. */
  public static List<Event.TermsSeen> of(JsonNode object) {
    return TermsKind.ALL.stream()
        .flatMap(kind ->
            kind
                .read(
                    object.at("/metadata/namespace").asText(),
                    object.at("/metadata/name").asText(),
                    object)
                .entrySet()
                .stream())
        .map(terms -> new Event.TermsSeen(terms.getKey(), terms.getValue()))
        .toList();
  }
}
