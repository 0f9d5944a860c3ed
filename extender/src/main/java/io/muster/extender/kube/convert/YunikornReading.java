package io.muster.extender.kube.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Reads the gangs of Apache YuniKorn, which are only told of: an application whose pods are of task
 * groups, each with a minimum. The first pod states the groups for all. Placeholders only keep room
 * for members. Total for any text. Safe for concurrent use.
 */
public final class YunikornReading {

  private static final String PREFIX = "yunikorn.apache.org/";
  private static final String GROUPS = PREFIX + "task-groups";
  private static final String GROUP_NAME = PREFIX + "task-group-name";
  private static final String PLACEHOLDER = "internal.yunikorn.apache.org/placeholder";
  private static final String APP = PREFIX + "app-id";
  private static final Duration TIMEOUT = Duration.ofMinutes(15);
  private static final ObjectMapper JSON = new JsonMapper();

  private YunikornReading() {}

  /** The gang of the pod's application; empty if it names no application or no task group. */
  static Optional<Membership> read(Markings markings) {
    var annotations = markings.annotations();
    boolean isOfGroup = annotations.containsKey(GROUPS) || annotations.containsKey(GROUP_NAME);
    if (!isOfGroup || "true".equals(annotations.get(PLACEHOLDER))) {
      return Optional.empty();
    }
    return application(markings)
        .flatMap(name ->
            terms(markings, name)
                .map(terms ->
                    new Membership(
                        new GangId(Dialect.YUNIKORN, markings.namespace(), name),
                        terms,
                        annotations.getOrDefault(GROUP_NAME, ""),
                        -1,
                        List.of())));
  }

  private static Optional<String> application(Markings markings) {
    var labels = markings.labels();
    return Stream.of(
            labels.get(APP),
            labels.get("spark-app-selector"),
            labels.get("applicationId"),
            markings.annotations().get(APP))
        .filter(name -> name != null && !name.isEmpty())
        .findFirst();
  }

  /** Empty for groups that YuniKorn itself refuses. */
  private static Optional<Terms> terms(Markings markings, String application) {
    var text = markings.annotations().get(GROUPS);
    if (text == null) {
      return Optional.of(
          new Terms.Unusable(
              GROUPS, "", "no pod of application %s states %s".formatted(application, GROUPS)));
    }
    var roles = new TreeMap<String, Integer>();
    for (var group : tree(text)) {
      var name = group.path("name").asText();
      int least = group.path("minMember").asInt();
      if (name.isEmpty() || least < 1 || roles.put(name, least) != null) {
        return Optional.empty();
      }
    }
    long members = roles.values().stream().mapToLong(Integer::longValue).sum();
    if (members < 1 || members > Terms.MAX_MEMBERS) {
      return Optional.empty();
    }
    return Optional.of(
        new Terms.Usable(
            (int) members,
            (int) members,
            isHard(markings.annotations()) ? Terms.Mode.STRICT : Terms.Mode.NON_STRICT,
            Terms.MatchPolicy.ONCE_SATISFIED,
            TIMEOUT,
            new TreeSet<>(Set.of(markings.namespace() + "/" + application)),
            roles,
            Terms.OnLoss.OWNER,
            Topology.ANYWHERE));
  }

  private static boolean isHard(Map<String, String> annotations) {
    var parameters = annotations.getOrDefault(PREFIX + "schedulingPolicyParameters", "");
    return List.of(parameters.split(" ")).contains("gangSchedulingStyle=Hard");
  }

  private static JsonNode tree(String text) {
    try {
      var tree = JSON.readTree(text);
      return tree.isArray() ? tree : MissingNode.getInstance();
    } catch (JsonProcessingException _) {
      return MissingNode.getInstance();
    }
  }
}
