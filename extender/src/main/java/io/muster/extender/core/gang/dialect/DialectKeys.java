package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import java.util.List;
import java.util.Set;

/** The keys by which a pod says, in any dialect, that it belongs to a gang. */
public final class DialectKeys {

  /** A pod with an annotation that begins with one of these is, or means to be, a member. */
  public static final Set<String> ANNOTATION_PREFIXES =
      Set.of(GangKeys.PREFIX, KoordinatorReader.PREFIX);

  /** A pod with one of these annotations is a member. */
  public static final Set<String> ANNOTATIONS =
      Set.of(
          KueueReader.NAME,
          KaiReader.POD_GROUP,
          VolcanoReader.GROUP_NAME,
          VolcanoReader.GROUP_NAME_ALIAS,
          "yunikorn.apache.org/task-group-name",
          "yunikorn.apache.org/task-groups");

  /** A pod with one of these labels is a member. */
  public static final Set<String> LABELS =
      Set.of(
          KoordinatorReader.POD_GROUP,
          KoordinatorReader.POD_GROUP_NAME,
          KueueReader.NAME,
          SchedulerPluginsReader.POD_GROUP);

  /** Annotations of a member of which its terms are read, beside those that make it one. */
  public static final Set<String> ANNOTATIONS_OF_TERMS =
      Set.of(
          KoordinatorReader.POD_GROUP_MATCH_POLICY,
          KueueReader.TOTAL,
          KueueReader.FAST,
          KueueReader.SERVING,
          VolcanoReader.TASK);

  /** Labels of a member of which its terms are read, beside those that make it one. */
  public static final Set<String> LABELS_OF_TERMS =
      Set.of(KoordinatorReader.POD_GROUP_MIN, KaiReader.SUB_GROUP, VolcanoReader.TASK);

  /** Labels and annotations of a member by which it says with how few its gang starts. */
  public static final Set<String> MINIMA =
      Set.of(GangKeys.MIN, KoordinatorReader.MIN, KoordinatorReader.POD_GROUP_MIN);

  private DialectKeys() {}

  /** Whether any key of any ecosystem says that the pod is, or means to be, a member. */
  public static boolean areIn(Markings markings) {
    return markings.labels().keySet().stream().anyMatch(LABELS::contains)
        || markings.annotations().keySet().stream()
            .anyMatch(key ->
                ANNOTATIONS.contains(key)
                    || ANNOTATION_PREFIXES.stream().anyMatch(key::startsWith));
  }

  /** Whether a key of any ecosystem names the pod's gang; terms alone name none. */
  public static boolean nameGang(Markings markings) {
    var annotations = markings.annotations().keySet();
    return annotations.contains(GangKeys.OF)
        || names().stream().anyMatch(annotations::contains)
        || ANNOTATIONS.stream().anyMatch(annotations::contains)
        || LABELS.stream().anyMatch(markings.labels()::containsKey);
  }

  /** The annotations that name a gang whose terms stand beside them, under the same prefix. */
  public static List<String> names() {
    return List.of(GangKeys.NAME, KoordinatorReader.PREFIX + "name");
  }
}
