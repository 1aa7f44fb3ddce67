/* What an S-function of level 2 uses of simstruc.h, over a structure of our own: for tests without Simulink. */
#ifndef SIMSTRUC_H
#define SIMSTRUC_H

#include <stddef.h>

typedef double real_T;
typedef int int_T;

typedef struct {
    double *values;
    size_t size;
    int is_double, is_complex;
} mxArray;

typedef struct {
    double *values;
    int_T rows, columns, contiguous, feeds;
} port_t;

enum { MOST = 24 };

typedef struct {
    int_T parameters, given, inputs, outputs, continuous, discrete, work, times;
    mxArray parameter[MOST];
    int_T tunable[MOST];
    port_t input[MOST], output[MOST];
    double *states, *numbers;
    double sample, offset;
    const char *error;
} SimStruct;

#define SS_PRM_NOT_TUNABLE 0
#define SS_PRM_TUNABLE 1
#define SS_OPTION_EXCEPTION_FREE_CODE 1

#define mxIsDouble(a) ((a)->is_double)
#define mxIsComplex(a) ((a)->is_complex)
#define mxGetPr(a) ((a)->values)
#define mxGetNumberOfElements(a) ((a)->size)
#define ssGetSFcnParam(S, i) ((const mxArray *)&(S)->parameter[i])
#define ssSetNumSFcnParams(S, n) ((S)->parameters = (n))
#define ssGetNumSFcnParams(S) ((S)->parameters)
#define ssGetSFcnParamsCount(S) ((S)->given)
#define ssSetSFcnParamTunable(S, i, how) ((S)->tunable[i] = (how))
#define ssSetErrorStatus(S, text) ((S)->error = (text))
#define ssGetErrorStatus(S) ((S)->error)
#define ssSetNumContStates(S, n) ((S)->continuous = (n))
#define ssSetNumDiscStates(S, n) ((S)->discrete = (n))
#define ssSetNumInputPorts(S, n) (((S)->inputs = (n)) <= MOST)
#define ssSetNumOutputPorts(S, n) (((S)->outputs = (n)) <= MOST)
#define ssSetInputPortWidth(S, i, n) ((S)->input[i].rows = (n), (S)->input[i].columns = 1)
#define ssSetOutputPortWidth(S, i, n) ((S)->output[i].rows = (n), (S)->output[i].columns = 1)
#define ssSetInputPortMatrixDimensions(S, i, r, c) ((S)->input[i].rows = (r), (S)->input[i].columns = (c))
#define ssSetOutputPortMatrixDimensions(S, i, r, c) ((S)->output[i].rows = (r), (S)->output[i].columns = (c))
#define ssSetInputPortRequiredContiguous(S, i, yes) ((S)->input[i].contiguous = (yes))
#define ssSetInputPortDirectFeedThrough(S, i, yes) ((S)->input[i].feeds = (yes))
#define ssGetInputPortRealSignal(S, i) ((const real_T *)(S)->input[i].values)
#define ssGetOutputPortRealSignal(S, i) ((S)->output[i].values)
#define ssSetNumSampleTimes(S, n) ((S)->times = (n))
#define ssSetNumRWork(S, n) ((S)->work = (n))
#define ssGetRWork(S) ((S)->numbers)
#define ssSetOptions(S, options) ((void)(S), (void)(options))
#define ssSetSampleTime(S, i, time) ((void)(i), (S)->sample = (time))
#define ssSetOffsetTime(S, i, time) ((void)(i), (S)->offset = (time))
#define ssGetRealDiscStates(S) ((S)->states)

#endif
