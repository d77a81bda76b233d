// All of posenc::insight: properties, explanations, figures, diagnosis, exercises and pages.
#pragma once

#include "posenc/insight/analysis.h"
#include "posenc/insight/check.h"
#include "posenc/insight/context_plan.h"
#include "posenc/insight/demonstration.h"
#include "posenc/insight/diagnose.h"
#include "posenc/insight/drawing.h"
#include "posenc/insight/exercises.h"
#include "posenc/insight/explain.h"
#include "posenc/insight/figure.h"
#include "posenc/insight/kind_facts.h"
#include "posenc/insight/report.h"
#include "posenc/insight/svg.h"
#include "posenc/insight/terminal.h"
