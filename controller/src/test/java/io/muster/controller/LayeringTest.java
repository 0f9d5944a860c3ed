package io.muster.controller;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.time.Clock;
import java.time.Instant;

@AnalyzeClasses(
    packages = "io.muster.controller",
    importOptions = ImportOption.DoNotIncludeTests.class)
final class LayeringTest {

  @ArchTest
  static final ArchRule THE_ENGINE_KNOWS_ONLY_JAVA_AND_NO_KIND =
      noClasses()
          .that()
          .resideInAPackage("io.muster.controller.core..")
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages("java..", "io.muster.controller.core..");

  @ArchTest
  static final ArchRule PACKAGES_OF_THE_CORE_ARE_FREE_OF_CYCLES =
      slices().matching("io.muster.controller.core.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule KINDS_KNOW_NOTHING_OF_EACH_OTHER =
      slices().matching("io.muster.controller.kinds.(*)..").should().notDependOnEachOther();

  @ArchTest
  static final ArchRule ALL_BUT_KINDS_KNOW_NO_KIND =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.muster.controller.kinds..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.muster.controller.kinds..");

  @ArchTest
  static final ArchRule PACKAGES_ARE_FREE_OF_CYCLES =
      slices().matching("io.muster.controller.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule PACKAGES_OF_A_KIND_ARE_FREE_OF_CYCLES =
      slices().matching("io.muster.controller.kinds.(**)").should().beFreeOfCycles();

  @ArchTest
  static void noPackageHasMoreThanTwentyClasses(JavaClasses classes) {
    var sizes =
        classes.stream()
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .collect(groupingBy(JavaClass::getPackageName, counting()));

    assertThat(sizes)
        .hasSizeGreaterThan(1)
        .allSatisfy((_, size) -> assertThat(size).isLessThanOrEqualTo(20));
  }

  @ArchTest
  static final ArchRule THE_CONTROLLER_DOES_NOT_KNOW_THE_WEBHOOK =
      noClasses().should().dependOnClassesThat().resideInAPackage("io.muster.webhook..");

  @ArchTest
  static final ArchRule TIME_COMES_FROM_OUTSIDE =
      noClasses()
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Clock.class, "systemUTC");

  @ArchTest
  static final ArchRule NOTHING_PRINTS =
      GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

  @ArchTest
  static final ArchRule NOTHING_LOGS_THROUGH_THE_JDK =
      GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
}
